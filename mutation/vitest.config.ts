import { existsSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { defineConfig } from "vitest/config"
import { BaseSequencer, type TestSpecification } from "vitest/node"
import { testsOfRun } from "./Scope.ts"

const tests = testsOfRun()

/** As `Scope.ts` lists them: a mutant that the first file notices never runs the others. */
class AsListed extends BaseSequencer {
  override async sort(files: Array<TestSpecification>): Promise<Array<TestSpecification>> {
    const rankOf = ({ moduleId }: TestSpecification): number =>
      tests.findIndex((test) => moduleId.endsWith(test))
    return files.toSorted((left, right) => rankOf(left) - rankOf(right))
  }
}

const core = fileURLToPath(new URL("../packages/core/src", import.meta.url))

/**
 * Runs the tests of one file against each of its mutants. Where core is mutated, `packages/testing` must import the
 * mutated copy: by its name it would find the original.
 */
export default defineConfig({
  resolve: {
    conditions: ["@till402/source"],
    alias: existsSync(core)
      ? [
          { find: /^@till402\/core$/, replacement: `${core}/index.ts` },
          { find: /^@till402\/core\/(.+)$/, replacement: `${core}/$1.ts` }
        ]
      : []
  },
  ssr: { resolve: { conditions: ["@till402/source", "node"] } },
  test: {
    include: [...tests],
    sequence: { sequencer: AsListed },
    testTimeout: 20_000,
    hookTimeout: 60_000
  }
})
