/*
 * A facilitator as a process of its own, which is what a server meets: verifies signatures as the real
 * one does, and settles at once without a chain. Prints its address; ends with its parent.
 */
import { createServer, type IncomingMessage } from "node:http"
import type { AddressInfo } from "node:net"
import { fakeFacilitator } from "./servers.ts"

const facilitator = fakeFacilitator(process.argv[2] === "verifying")

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
