/*
 * What the webhooks of all upstreams share: a bounded body, and a comparison that tells nothing by its time.
 */

/** Looks at every character, so that the time it takes tells nothing of where two texts differ. */
export const isSameText = (given: string, right: string): boolean => {
  let difference = given.length ^ right.length
  for (let index = 0; index < right.length; index++) {
    difference |= right.charCodeAt(index) ^ (given.charCodeAt(index) || 0)
  }
  return difference === 0
}

/** The whole body; `undefined` where it has more than `maxBytes`. */
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
