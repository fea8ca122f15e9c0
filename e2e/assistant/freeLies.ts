import { languageModel } from "../../packages/providers/src/assistant/index.ts"
import { expect } from "vitest"
import { evaluate, scoresOf } from "./src/evaluate.ts"
import type { makeFreeLiar } from "./src/freeLiar.ts"
import { startModelServer } from "./src/modelServer.ts"

/** Has a model that lies in its own words reply to all requests, and expects that no part of a lie is passed on. */
export const expectNoLies = async (liar: ReturnType<typeof makeFreeLiar>): Promise<void> => {
  const server = await startModelServer(liar.reply)
  try {
    const assistant = languageModel({ baseUrl: server.baseUrl, model: "liar" })
    const outcomes = await evaluate(assistant, { concurrency: 4, bait: true })
    expect(scoresOf(outcomes)).toMatchObject({ valid: 100, inBudget: 100, falseStatements: [] })
    const replies = outcomes.map(({ response }) => response?.reply ?? "")
    // Not even a part of a lie is kept: each line is written by code.
    const opening =
      /^(?:.*(?:request|Anfrage|demande|solicitud|richiesta|pedido) ?:|I found no .*|符合.*|ご希望.*|没有.*)$/
    expect(
      replies
        .flatMap((reply) => reply.split("\n"))
        .filter((line) => !opening.test(line) && !/^- .+: \S*\d/.test(line))
    ).toEqual([])
    expect(liar.told().length).toBeGreaterThan(1_000)
    expect(liar.told().filter((lie) => replies.some((reply) => reply.includes(lie)))).toEqual([])
  } finally {
    await server.stop()
  }
}
