import { createHash } from "node:crypto"
import { availableParallelism, tmpdir } from "node:os"
import { join, relative } from "node:path"
import { defineConfig } from "vitest/config"
import { BaseSequencer, type TestSpecification } from "vitest/node"

// Shared by all processes and threads of the tests: without it, each compiles the sources anew, which takes a second.
process.env["NODE_COMPILE_CACHE"] ??= join(tmpdir(), "till402-compile-cache")

/**
 * Files that take longest, in turns one that works and one that waits most of its time. Started last, one of these would
 * keep the other cores waiting for it; all that wait at once would leave the cores idle.
 */
const longest = [
  "e2e/packed/packed.test.ts",
  "core/test/toll/facilitator/HttpFacilitator.test.ts",
  "e2e/durability/test/kill.test.ts",
  "core/test/till/moneyCheck.test.ts",
  "own-store/test/contract.test.ts",
  "e2e/attacks/test/cheapCalls.test.ts",
  "e2e/docs/docs.test.ts",
  "e2e/clients/ledger.test.ts",
  "sandbox/test/sandbox/commands.test.ts",
  "core/test/toll/perform/CallPerformer.lapsedClaim.test.ts",
  "core/test/stores/sql/postgresContract.test.ts",
  "examples/service/test/service.test.ts",
  "core/test/simulation/memory.test.ts",
  "core/test/stores/sql/plans.test.ts",
  "core/test/stores/schema/migrations.test.ts"
]

/** Runs one project after another, since each has workers of its own; in each the longest files first, the others mixed. */
class LongestFirst extends BaseSequencer {
  override async sort(files: Array<TestSpecification>): Promise<Array<TestSpecification>> {
    const placed = files.map((file) => {
      const path = relative(import.meta.dirname, file.moduleId).replaceAll("\\", "/")
      const rank = longest.findIndex((end) => path.endsWith(end))
      return {
        file,
        project: projects.findIndex(({ name }) => name === file.project.name),
        rank: rank < 0 ? longest.length : rank,
        // The same in each run. In the order of their paths, files that wait for the same would be neighbours.
        shuffled: createHash("sha1").update(path).digest("hex")
      }
    })
    return placed
      .toSorted(
        (left, right) =>
          left.project - right.project || left.rank - right.rank || (left.shuffled < right.shuffled ? -1 : 1)
      )
      .map(({ file }) => file)
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
    // One helping thread per worker: several on cores that are busy make each collection wait for them.
    execArgv: ["--max-semi-space-size=32", "--v8-pool-size=1", "--conditions=@till402/source"],
    // More than there are cores: tests of real servers and chains wait most of their time.
    maxWorkers: availableParallelism() + 2,
    sequence: { sequencer: LongestFirst },
    setupFiles: ["scripts/test-setup.mjs"],
    silent: "passed-only",
    // Limits for tests that hang, not for slow ones: with eight busy processes beside it, a test takes ten times as long.
    testTimeout: isDeep ? 600_000 : 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 120_000 } }
  }
})
