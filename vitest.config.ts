import { defineConfig } from "vitest/config"

export default defineConfig({
  resolve: { conditions: ["@till402/source"] },
  ssr: { resolve: { conditions: ["@till402/source", "node"] } },
  test: {
    include: ["packages/*/test/**/*.test.ts", "examples/*/test/**/*.test.ts", "e2e/**/*.test.ts"],
    exclude: ["**/node_modules/**", "**/dist/**"],
    testTimeout: 20_000,
    hookTimeout: 60_000
  }
})
