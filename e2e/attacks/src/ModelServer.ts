import { createServer } from "node:http"
import type { AddressInfo } from "node:net"

/*
 * A small server of the chat-completions protocol whose model is a function.
 */

/** What the server reads of a request. */
export interface ChatRequest {
  readonly messages: ReadonlyArray<{ readonly role: string; readonly content: string | null }>
  readonly response_format?: { readonly json_schema: { readonly name: string } }
}

/** The message that the model replies with. */
export type ChatReply =
  | { readonly content: string }
  | { readonly content: null; readonly tool_calls: ReadonlyArray<object> }

/** Starts the server on a free port of this machine. */
export const startModelServer = async (
  model: (request: ChatRequest) => ChatReply
): Promise<{ readonly baseUrl: string; readonly stop: () => Promise<void> }> => {
  const server = createServer((incoming, outgoing) => {
    const chunks: Array<Buffer> = []
    incoming.on("data", (chunk: Buffer) => void chunks.push(chunk))
    incoming.on("end", () => {
      const message = model(JSON.parse(Buffer.concat(chunks).toString()))
      const text = JSON.stringify({
        choices: [{ index: 0, message: { role: "assistant", ...message }, finish_reason: "stop" }],
        usage: { prompt_tokens: Math.ceil(Buffer.concat(chunks).length / 4), completion_tokens: 150 }
      })
      outgoing.writeHead(200, { "content-type": "application/json" }).end(text)
    })
  })
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as AddressInfo
  return {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    stop: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => void server.close(resolve))
    }
  }
}
