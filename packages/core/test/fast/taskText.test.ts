import { describe, expect } from "vitest"
import { taskText } from "../../src/fast/taskText.ts"
import { property } from "../domain/seeded.ts"
import { anyAuthorization } from "../toll/payments.ts"

describe("the JSON of a task", () => {
  property("is that of JSON.stringify, key for key", 300, (dice) => {
    const text = () => dice.text('aZ09"\\/\u0000\u00e9\u2028\u{1f600}', dice.below(12))
    const shared = {
      requirements: { amount: text(), extra: { name: text(), version: "2" } },
      resource: { url: text(), description: text(), mimeType: text(), extensions: { [text()]: text() } }
    }
    // Several tasks with the same offer, as of one operation.
    for (let times = 0; times < 3; times++) {
      const authorization = anyAuthorization(dice)
      const payload = dice.pick([
        { signature: dice.hex(65), authorization },
        { signature: dice.hex(65), authorization: anyAuthorization(dice) },
        { transaction: text() }
      ])
      const task = {
        network: text(),
        authorization,
        proofRequired: dice.below(2) === 0,
        request: {
          x402Version: 1 + dice.below(2),
          payload,
          ...shared,
          ...(dice.below(2) === 0 ? {} : { route: { facilitator: text(), x402Version: 1 + dice.below(2) } })
        }
      }
      expect(taskText(task)).toBe(JSON.stringify(task))
    }
  })
})
