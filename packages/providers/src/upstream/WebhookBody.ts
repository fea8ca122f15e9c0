/*
 * Shared by the webhooks of all upstreams: a bounded body and a comparison in constant time.
 */

/** Compares every character, so that the time taken doesn't reveal where two texts differ. */
export const isSameText = (given: string, right: string): boolean => {
  let difference = given.length ^ right.length
  for (let index = 0; index < right.length; index++) {
    difference |= right.charCodeAt(index) ^ (given.charCodeAt(index) || 0)
  }
  return difference === 0
}

/** Reads the whole body; `undefined` if it has more than `maxBytes`. */
export const readBody = async (request: Request, maxBytes: number): Promise<Uint8Array | undefined> => {
  if (Number(request.headers.get("content-length") ?? 0) > maxBytes) return undefined
  const reader = request.body?.getReader()
  const chunks: Array<Uint8Array> = []
  let length = 0
  for (;;) {
    const { done = true, value } = (await reader?.read()) ?? {}
    if (done) break
    length += value?.byteLength ?? 0
    if (length > maxBytes) {
      await reader?.cancel()
      return undefined
    }
    if (value !== undefined) chunks.push(value)
  }
  const body = new Uint8Array(length)
  let offset = 0
  for (const chunk of chunks) {
    body.set(chunk, offset)
    offset += chunk.byteLength
  }
  return body
}
