/** Files and folders that tools make for their owner alone: settings with passwords, keys, histories, installed packages. */
const names: ReadonlySet<string> = new Set([
  ".git",
  ".svn",
  ".hg",
  "node_modules",
  ".npmrc",
  ".pypirc",
  ".netrc",
  "_netrc",
  ".pgpass",
  ".htpasswd",
  ".git-credentials",
  ".dockercfg",
  ".aws",
  ".azure",
  ".gnupg",
  ".kube",
  ".ssh"
])

/** `.env`, `.env.local`, `.envrc`; not `.envoy.yaml`. */
const environment = /^\.env(?:rc)?(?![a-z])/
/** Names of examples, such as `.env.example`, which are published everywhere. */
const example = /[._-](?:example|sample|template|dist|defaults?)$/
/** What `ssh-keygen` writes: the public half ends with `.pub`. */
const sshKey = /^id_(?:rsa|dsa|ecdsa|ed25519)(?:_sk)?$/
const keyFile = /\.(?:pem|key|p12|pfx|ppk|jks|keystore|kdbx)$/

const isPrivate = (segment: string): boolean => {
  const name = segment.toLowerCase()
  if (names.has(name)) return true
  if (environment.test(name)) return !example.test(name)
  return sshKey.test(name) || keyFile.test(name)
}

/**
 * The part of a path, from its beginning, that is not meant for buyers by its name; `undefined`: there is none. `allow`
 * has paths that the seller wants to sell, each with everything below it.
 */
export const privatePart = (path: string, allow: ReadonlyArray<string>): string | undefined => {
  const segments = path.replace(/\/$/, "").split("/")
  for (const [index, segment] of segments.entries()) {
    const part = segments.slice(0, index + 1).join("/")
    if (allow.includes(part)) return undefined
    if (isPrivate(segment)) return part
  }
  return undefined
}

/** What is wrong with such a part. */
export const privateFault = (part: string) => ({
  path: part,
  message: `is private by its name: leave it out, or allow it (--allow ${JSON.stringify(part)})`
})
