/*
 * A facilitator as a process of its own, which is what a server meets: verifies signatures as the real one does
 * ("verifying"), or by a C library ("native"), responds at once ("instant"), or takes the time of one that waits for a chain ("realistic"). Settles
 * without a chain. Prints its address; ends with its parent.
 */
import { createServer, type IncomingMessage } from "node:http"
import type { AddressInfo } from "node:net"
import { nativeFacilitator } from "./nativeFacilitator.ts"
import { fakeFacilitator, slowFacilitator } from "./servers.ts"

const [kind] = process.argv.slice(2)
const facilitators: Readonly<Record<string, () => ReturnType<typeof fakeFacilitator>>> = {
  verifying: () => fakeFacilitator(true),
  native: nativeFacilitator,
  instant: () => fakeFacilitator(false),
  realistic: () => slowFacilitator({ verify: 60, settle: 600 }, false)
}
const facilitator = facilitators[kind ?? "instant"]!()

const bodyOf = async (request: IncomingMessage): Promise<{ readonly paymentPayload: unknown }> => {
  let text = ""
  for await (const chunk of request) text += String(chunk)
  return JSON.parse(text) as { readonly paymentPayload: unknown }
}

const respond = async (request: IncomingMessage): Promise<unknown> => {
  if (request.url?.endsWith("/supported") === true) return facilitator.getSupported()
  const { paymentPayload } = await bodyOf(request)
  return request.url?.endsWith("/verify") === true
    ? facilitator.verify(paymentPayload)
    : facilitator.settle(paymentPayload)
}

const server = createServer((request, response) => {
  respond(request).then(
    (document) => response.setHeader("content-type", "application/json").end(JSON.stringify(document)),
    (error: unknown) => {
      response.statusCode = 500
      response.end(String(error))
    }
  )
})
server.listen(0, "127.0.0.1", () => {
  process.send?.(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
})
process.on("disconnect", () => process.exit(0))
