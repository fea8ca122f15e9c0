import { availableParallelism, tmpdir } from "node:os"
import { join } from "node:path"
import { defineConfig } from "vitest/config"
import { BaseSequencer, type TestSpecification } from "vitest/node"

// Shared by all processes and threads of the tests: without it, each compiles the sources anew, which takes a second.
process.env["NODE_COMPILE_CACHE"] ??= join(tmpdir(), "till402-compile-cache")

/** Files that take longest. Started last, one of these would keep the other cores waiting for it. */
const longest = [
  "e2e/packed/packed.test.ts",
  "own-store/test/contract.test.ts",
  "e2e/durability/test/kill.test.ts",
  "sandbox/test/sandbox/commands.test.ts",
  "e2e/docs/docs.test.ts",
  "core/test/simulation/memory.test.ts",
  "core/test/stores/sql/postgresContract.test.ts",
  "core/test/stores/schema/migrations.test.ts"
]

/** Runs one project after another, since each has workers of its own, and in each the longest files first. */
class LongestFirst extends BaseSequencer {
  override async sort(files: Array<TestSpecification>): Promise<Array<TestSpecification>> {
    const rankOf = ({ moduleId }: TestSpecification): number => {
      const rank = longest.findIndex((file) => moduleId.endsWith(file))
      return rank < 0 ? longest.length : rank
    }
    const placeOf = ({ project }: TestSpecification): number =>
      projects.findIndex(({ name }) => name === project.name)
    return (await super.sort(files)).toSorted(
      (left, right) => placeOf(left) - placeOf(right) || rankOf(left) - rankOf(right)
    )
  }
}

/** `npm run test:deep` sets this: its files are those that end in `.deep.test.ts`, and no others. */
const isDeep = process.env["TILL402_SUITE"] === "deep"

const filesIn = (...folders: ReadonlyArray<string>) =>
  folders.map((folder) => `${folder}/**/*${isDeep ? ".deep" : ""}.test.ts`)

/** The second is for files that replace a module by another. */
const projects = [
  { name: "till", include: filesIn("packages/*/test", "examples/*/test", "e2e") },
  { name: "mocked", include: isDeep ? [] : ["packages/core/test/**/*.mocked.test.ts"] }
]

export default defineConfig({
  resolve: { conditions: ["@till402/source"] },
  ssr: { resolve: { conditions: ["@till402/source", "node"] } },
  test: {
    projects: projects.map(({ include, name }) => ({
      extends: true,
      test: {
        name,
        include,
        exclude: [
          "**/node_modules/**",
          "**/dist/**",
          ...(isDeep ? [] : ["**/*.deep.test.ts"]),
          ...(name === "mocked" ? [] : ["**/*.mocked.test.ts"])
        ],
        // Node imports the sources by itself, compiled once for all processes. It can't replace a module by another.
        experimental: { viteModuleRunner: name === "mocked", nodeLoader: false }
      }
    })),
    // The files of a worker share its modules: loading them anew for each file takes three times as long as the tests.
    isolate: false,
    // Young objects of tests rarely live long: collected less often, they cost a tenth less.
    execArgv: ["--max-semi-space-size=32", "--conditions=@till402/source"],
    // More than there are cores: tests of real servers and chains wait most of their time.
    maxWorkers: availableParallelism() + 2,
    sequence: { sequencer: LongestFirst },
    setupFiles: ["scripts/test-setup.mjs"],
    silent: "passed-only",
    // Limits for tests that hang, not for slow ones: with eight busy processes beside it, a test takes ten times as long.
    testTimeout: isDeep ? 600_000 : 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 60_000 } }
  }
})
