import type { FastifyReply } from "fastify"

/**
 * Sends a response of the till past Fastify's own, with the headers that the host has set by now.
 *
 * @throws the error of a body that failed before its first byte: an error handler can respond
 */
export const sendNow = async (reply: FastifyReply, send: () => Promise<void>): Promise<void> => {
  copyHeaders(reply)
  try {
    await send()
  } catch (error) {
    if (!reply.raw.headersSent) throw error
    reply.log.error(error)
  }
  // Nothing else may respond, even where the client has disconnected.
  reply.hijack()
}

/** Copies the headers of a reply to Node's response. */
export const copyHeaders = (reply: FastifyReply): void => {
  for (const [name, value] of Object.entries(reply.getHeaders()))
    if (value !== undefined) reply.raw.setHeader(name, value)
}
