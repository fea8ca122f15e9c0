import { spawn } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "vitest"
import {
  answerWith,
  type ChatRequest,
  scriptedModel,
  searchFor,
  toolResults
} from "../../../providers/test/assistant/scriptedModel.ts"

/*
 * The sandbox's command over a model server.
 */

const model = scriptedModel()

/** The first product that a search found. */
const firstFound = (request: ChatRequest) => {
  const [result] = toolResults(request) as ReadonlyArray<{
    readonly products: ReadonlyArray<{ readonly id: string; readonly title: string; readonly price: number }>
  }>
  return result!.products[0]!
}

describe("the sandbox command with --model", () => {
  it("pays a call over the model and prints its reply", async () => {
    model.use((request, round) =>
      round === 0
        ? searchFor("wireless headphones")
        : answerWith(`The ${firstFound(request).title} fits.`, firstFound(request).id)
    )
    const main = fileURLToPath(new URL("../../src/cli/main.ts", import.meta.url))
    const child = spawn(
      process.execPath,
      [
        "--disable-warning=ExperimentalWarning",
        "--conditions=@till402/source",
        main,
        "--json",
        "--port=0",
        `--model=${model.baseUrl()}`,
        "--model-name=small"
      ],
      { stdio: ["ignore", "pipe", "pipe"], env: { ...process.env, MODEL_API_KEY: "key-1" } }
    )
    let printed = ""
    child.stderr.on("data", (chunk: Buffer) => (printed += chunk.toString()))
    await expect.poll(() => printed, { timeout: 100_000 }).toMatch(/shop {2}200 {2}paid[^]+ fits\.\n/)
    expect(model.requests()[0]?.model).toBe("small")
    expect(model.headers()[0]?.authorization).toBe("Bearer key-1")
    const closed = once(child, "close")
    child.kill("SIGTERM")
    expect(await closed).toEqual([0, null])
  })
})
