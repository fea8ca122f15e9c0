import { availableParallelism } from "node:os"
import { defineConfig } from "vitest/config"
import { BaseSequencer, type TestSpecification } from "vitest/node"

/** What takes longest, longest first: begun last, one of these would keep the other cores waiting for it. */
const longest = [
  "e2e/durability/test/kill.test.ts",
  "core/test/simulation/memory.test.ts",
  "core/test/simulation/mutations.test.ts",
  "core/test/simulation/postgres.test.ts",
  "sandbox/test/sandbox/commands.test.ts",
  "core/test/simulation/sqlite.test.ts",
  "own-store/test/mutants.test.ts",
  "core/test/sql/postgresContract.test.ts",
  "own-store/test/contract.test.ts",
  "e2e/packed/packed.test.ts"
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
const never = ["**/node_modules/**", "**/dist/**"]
/** Tests that leave nothing behind in their process, and so share its modules. */
const together = [
  "packages/core/test/{domain,mail,operations,orders,ports,testing,till,toll,vault}/**/*.test.ts",
  "packages/providers/test/**/*.test.ts"
]

export default defineConfig({
  resolve: { conditions: ["@till402/source"] },
  ssr: { resolve: { conditions: ["@till402/source", "node"] } },
  test: {
    projects: [
      { extends: true, test: { name: "apart", include: all, exclude: [...never, ...together] } },
      // Loading the modules anew for each of these would take longer than the tests.
      { extends: true, test: { name: "together", include: together, exclude: never, isolate: false } }
    ],
    // Vitest leaves one core to itself; on two that halves its pace for nothing.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    sequence: { sequencer: LongestFirst },
    testTimeout: 20_000,
    expect: { poll: { timeout: 10_000 } },
    hookTimeout: 60_000
  }
})
