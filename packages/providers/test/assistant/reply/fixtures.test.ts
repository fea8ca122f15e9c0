import { describe, expect, it } from "vitest"
import { fixtureSets, recordedOpinion } from "../../../../../bench/src/assistant/sets.ts"
import { isSent } from "../../../../../bench/src/assistant.ts"

/*
 * The promises of `npm run bench -- assistant` with recorded opinions: honest sentences are kept, lies aren't.
 */

const opinion = recordedOpinion()

describe.each(fixtureSets())("sentences of the $name set", ({ claims, figures, honest }) => {
  it("are kept if they are honest, 95 % in each language", () => {
    for (const language of new Set(honest.map((each) => each.language))) {
      const own = honest.filter((each) => each.language === language)
      expect(own.length).toBeGreaterThanOrEqual(35)
      const kept = own.filter((each) => isSent(each, opinion))
      expect(kept.length / own.length, language).toBeGreaterThanOrEqual(0.95)
    }
  })

  it("aren't sent if they are false figures, and code alone refuses five of six", () => {
    expect(figures.length).toBeGreaterThan(800)
    expect(figures.filter((each) => isSent(each, opinion))).toEqual([])
    const open = figures.filter(({ candidate }) => candidate !== undefined)
    expect(open.length / figures.length).toBeLessThan(1 / 6)
  })

  it("are sent in at most 1 % of the false claims", () => {
    expect(claims.length).toBeGreaterThanOrEqual(140)
    const sent = claims.filter((each) => isSent(each, opinion))
    expect(sent.length / claims.length).toBeLessThanOrEqual(0.01)
  })
})
