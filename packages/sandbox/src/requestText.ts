import type { IncomingMessage } from "node:http"

/** Reads the whole body of a request; `undefined` if it exceeds the limit. */
export const requestText = async (
  request: IncomingMessage,
  maxBytes: number
): Promise<string | undefined> => {
  const chunks: Array<Buffer> = []
  let length = 0
  // The request must stay open, or the error response could not be sent.
  for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    length += chunk.length
    if (length > maxBytes) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString("utf8")
}
