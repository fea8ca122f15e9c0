import { availableParallelism } from "node:os"
import { defineConfig } from "vitest/config"
import { BaseSequencer, type TestSpecification } from "vitest/node"

/** Files that take longest. Started last, one of these would keep the other cores waiting for it. */
const longest = [
  "e2e/packed/packed.test.ts",
  "own-store/test/contract.test.ts",
  "e2e/durability/test/kill.test.ts",
  "core/test/simulation/memory.test.ts",
  "sandbox/test/sandbox/commands.test.ts",
  "core/test/sql/postgresContract.test.ts",
  "e2e/docs/docs.test.ts"
]

class LongestFirst extends BaseSequencer {
  override async sort(files: Array<TestSpecification>): Promise<Array<TestSpecification>> {
    const rankOf = ({ moduleId }: TestSpecification): number => {
      const rank = longest.findIndex((file) => moduleId.endsWith(file))
      return rank < 0 ? longest.length : rank
    }
    return (await super.sort(files)).toSorted((left, right) => rankOf(left) - rankOf(right))
  }
}

const all = ["packages/*/test/**/*.test.ts", "examples/*/test/**/*.test.ts", "e2e/**/*.test.ts"]
const deep = [
  "packages/*/test/**/*.deep.test.ts",
  "examples/*/test/**/*.deep.test.ts",
  "e2e/**/*.deep.test.ts"
]
const never = ["**/node_modules/**", "**/dist/**"]

/** `npm run test:deep` sets this: its files are those that end in `.deep.test.ts`, and no others. */
const isDeep = process.env["TILL402_SUITE"] === "deep"

export default defineConfig({
  resolve: { conditions: ["@till402/source"] },
  ssr: { resolve: { conditions: ["@till402/source", "node"] } },
  test: {
    include: isDeep ? deep : all,
    exclude: isDeep ? never : [...never, ...deep],
    // The files of a worker share its modules: loading them anew for each file takes three times as long as the tests.
    isolate: false,
    // Vitest leaves one core to itself; on two that halves its pace for nothing.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    sequence: { sequencer: LongestFirst },
    setupFiles: ["scripts/patience.mjs"],
    silent: "passed-only",
    // Limits for tests that hang, not for slow ones: with eight busy processes beside it, a test takes ten times as long.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 60_000 } }
  }
})
