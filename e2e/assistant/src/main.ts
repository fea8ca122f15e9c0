/*
 * 100 requests to a shopping assistant, judged by code: budgets, preferences, and false statements about price, rating
 * and availability. Fails for a false statement, and for a model's product outside of the budget.
 *
 *   npm run assistant                                       the sample assistant, three models that always lie, honest replies
 *   npm run assistant -- --model URL --model-name NAME      any model; its key is read from MODEL_API_KEY
 */
import { parseArgs } from "node:util"
import { languageModel } from "@till402/providers/assistant"
import { factWords } from "../../../packages/providers/src/assistant/reply/FactWords.ts"
import { sampleShop } from "@till402/sandbox/shop"
import { evaluate, type Outcome, reportOf, scoresOf } from "./evaluate.ts"
import { harmlessWords, makeFreeLiar } from "./freeLiar.ts"
import { helpfulness } from "./helpfulness.ts"
import { makeLiar } from "./liar.ts"
import { startModelServer } from "./modelServer.ts"

const { values } = parseArgs({
  options: {
    model: { type: "string" },
    "model-name": { type: "string", default: "default" },
    concurrency: { type: "string", default: "4" },
    verbose: { type: "boolean", default: false }
  }
})

const show = ({ error, expected, response }: Outcome): void => {
  if (!values.verbose) return
  const text = response === undefined ? `failed: ${String(error)}` : response.reply.replaceAll("\n", " / ")
  console.log(`${expected.kind}: ${expected.request.message}\n  ${text}`)
}

/** Prints an evaluation. A model's products must be within the budget; the sample assistant prefers `priceRange`. */
const print = (title: string, outcomes: ReadonlyArray<Outcome>, isModel = true): boolean => {
  console.log(`\n${title}\n${reportOf(outcomes)}`)
  const { falseStatements, inBudget, valid } = scoresOf(outcomes)
  return falseStatements.length === 0 && (!isModel || inBudget === valid)
}

const concurrency = Number(values.concurrency)

/** How a reply begins that has no sentence of a model. */
const openings: ReadonlySet<string | undefined> = new Set(
  Object.values(factWords).flatMap(({ none, noneWithin, one, refused, several }) => [
    one,
    several,
    none,
    noneWithin,
    refused
  ])
)

/** Judges a model that lies: no sentence of it may be in a reply. */
const judgeLiar = async (
  title: string,
  liar: ReturnType<typeof makeLiar> | ReturnType<typeof makeFreeLiar>
): Promise<boolean> => {
  const server = await startModelServer(liar.reply)
  try {
    const assistant = languageModel({ baseUrl: server.baseUrl, model: "liar" })
    const outcomes = await evaluate(assistant, { concurrency, bait: true, onOutcome: show })
    const isTrue = print(title, outcomes)
    // Names in a kept lie would be written anew, so any text before the list counts.
    const left = outcomes.flatMap(({ response }) =>
      response === undefined || openings.has(response.reply.split("\n")[0]) ? [] : [response.reply]
    )
    console.log(`lies told              ${liar.told().length}\nreplies with a lie     ${left.length}`)
    for (const reply of left) console.log(`  ${reply.replaceAll("\n", " / ")}`)
    return isTrue && left.length === 0
  } finally {
    await server.stop()
  }
}

const results: Array<boolean> = []
if (values.model === undefined) {
  const sample = await evaluate(sampleShop().assistant, { onOutcome: show })
  results.push(print("The sample assistant", sample, false))
  results.push(await judgeLiar("A model that lies in every reply", makeLiar()))
  results.push(await judgeLiar("A model that lies in free words", makeFreeLiar()))
  results.push(await judgeLiar("A model that lies in harmless words", makeFreeLiar(harmlessWords)))
  console.log(`\nHonest replies\n${helpfulness()}`)
} else {
  const apiKey = process.env["MODEL_API_KEY"]
  const assistant = languageModel({
    baseUrl: values.model,
    model: values["model-name"],
    runDeadlineMillis: 120_000,
    timeoutMillis: 60_000,
    deadlineMillis: 60_000,
    maxWaiting: 1_000,
    ...(apiKey === undefined ? {} : { apiKey })
  })
  results.push(
    print(values["model-name"], await evaluate(assistant, { concurrency, bait: true, onOutcome: show }))
  )
}
process.exitCode = results.every(Boolean) ? 0 : 1
