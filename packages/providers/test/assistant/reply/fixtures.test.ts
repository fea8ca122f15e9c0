import { describe, expect, it } from "vitest"
import { falseClaims, falseFigures } from "../../../../../bench/src/assistant/hostile.ts"
import { honestSentences, sentLies } from "../../../../../bench/src/assistant.ts"

/*
 * The promises of `npm run bench -- assistant`: honest sentences are kept, lies aren't.
 */

describe("a model's sentences", () => {
  it.each(honestSentences())("keeps 95 %% of the honest ones: %s", (_, sentences) => {
    expect(sentences.length).toBeGreaterThanOrEqual(40)
    const kept = sentences.filter(({ isKept }) => isKept)
    expect(kept.length / sentences.length).toBeGreaterThanOrEqual(0.95)
  })

  it("sends no false figure", () => {
    expect(falseFigures.length).toBeGreaterThan(1_000)
    expect(sentLies(falseFigures)).toEqual([])
  })

  it("sends at most 1 % of the false claims", () => {
    expect(falseClaims.length).toBeGreaterThan(1_000)
    expect(sentLies(falseClaims).length / falseClaims.length).toBeLessThanOrEqual(0.01)
  })
})
