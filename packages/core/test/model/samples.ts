import type { PayableTask } from "../../src/toll/machine/SettlementTask.ts"
import type { Work } from "../../src/toll/request/TollRequest.ts"

/*
 * Values that the machine passes on and never looks into.
 */

const authorization = {
  from: "0x01",
  to: "0x02",
  value: "10000",
  validAfter: "0",
  validBefore: "100",
  nonce: "0x03"
}

/** The world never looks into the task of a payment. */
export const task: PayableTask = {
  network: "eip155:84532",
  authorization,
  proofRequired: true,
  request: {
    x402Version: 2,
    payload: { signature: "0x", authorization },
    requirements: {
      scheme: "exact",
      network: "eip155:84532",
      amount: "10000",
      asset: "0x04",
      payTo: "0x02",
      maxTimeoutSeconds: 60,
      extra: {}
    },
    resource: { url: "https://till.example", description: "", mimeType: "application/json" }
  }
}

/** The work of a call, with the order that it prepares. */
export const workOf = (hasSubject: boolean): Work => ({
  response: { status: 200, contentType: "application/json", body: { _tag: "Text", text: "{}" } },
  ...(hasSubject ? { subject: { kind: "order", id: "1" } } : {})
})
