import type { Secrets } from "../../runtime/Secrets.ts"

type Digests = Pick<Secrets["Service"], "currentKeyId" | "digest">

/** Names a text without revealing it: the id of a key of the host, and the text's digest under it. */
export const keyedDigest = (
  secrets: Digests,
  purpose: string,
  text: string,
  keyId = secrets.currentKeyId
): string => `${keyId}:${secrets.digest(purpose, text, keyId)}`

/** Whether a name is that of a text, under whichever key it was made. */
export const isDigestOf = (secrets: Digests, name: string, purpose: string, text: string): boolean =>
  name === keyedDigest(secrets, purpose, text, name.slice(0, name.indexOf(":")))
