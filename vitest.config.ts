import { availableParallelism } from "node:os"
import { defineConfig } from "vitest/config"

const all = ["packages/*/test/**/*.test.ts", "examples/*/test/**/*.test.ts", "e2e/**/*.test.ts"]
const never = ["**/node_modules/**", "**/dist/**"]
const deep = ["**/*.deep.test.ts"]

export default defineConfig({
  resolve: { conditions: ["@till402/source"] },
  ssr: { resolve: { conditions: ["@till402/source", "node"] } },
  test: {
    include: all,
    exclude: [...never, ...deep],
    isolate: false,
    // Vitest leaves one core to itself; on two that halves its pace for nothing.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    testTimeout: 20_000,
    expect: { poll: { timeout: 10_000 } },
    hookTimeout: 60_000
  }
})
