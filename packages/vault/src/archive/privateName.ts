import { createPrivateKey, createPublicKey } from "node:crypto"

/** Files and folders that tools make for their owner alone: settings with passwords, keys, histories, installed packages. */
const names: ReadonlySet<string> = new Set([
  ".git",
  ".svn",
  ".hg",
  ".bzr",
  ".jj",
  "node_modules",
  ".npmrc",
  ".pypirc",
  ".netrc",
  "_netrc",
  ".pgpass",
  ".my.cnf",
  ".mylogin.cnf",
  ".terraformrc",
  "kubeconfig",
  ".htpasswd",
  ".git-credentials",
  ".dockercfg",
  ".s3cfg",
  ".boto",
  ".vault-token",
  ".secret",
  ".aptos",
  ".terraform",
  ".aws",
  ".azure",
  ".gnupg",
  ".kube",
  ".ssh",
  "wp-config.php",
  "rootkey.csv",
  "wallet.dat"
])

/** `.env`, `.env.local`, `.envrc`, the folder `.envs`, `production.env`, `env.production`, `.dev.vars`; not `.envoy.yaml`. */
const environment =
  /^\.(?:env(?:rc|s)?|dev\.vars|flaskenv)(?![a-z])|.\.env$|^(?:dot)?env\.(?:local|prod(?:uction)?|dev(?:elopment)?|stag(?:e|ing)|live|secrets?)(?:\.local)?$/
/** Names of examples, such as `.env.example` and `secrets.sample.yaml`, which are published everywhere. */
const example =
  /[._-](?:example|sample|template|dist|defaults?)(?:\.(?:json|ya?ml|toml))?$|^(?:example|sample|template|defaults?)[._-]/
/** What copies and editors append to a name. */
const copy = /(?:\.(?:bak|backup|old|orig|save|swp)|~| copy(?: \d+)?| \(\d+\))+$/
/** What `ssh-keygen` writes: the public half ends with `.pub`. */
const sshKey = /^id_(?:rsa|dsa|ecdsa|ed25519)(?:_sk)?$/
const keyFile = /\.(?:pem|key|p8|p12|pfx|ppk|jks|keystore|kdbx)$|(?:^|_)accesskeys\.csv$/
/** What `solana-keygen` writes, and Anchor beside a program: keys as JSON. */
const keypair = /^(?:.*[._-])?keypair\.json$/
/** Keys of accounts, as clouds hand them out, and what is called secrets. */
const credentials =
  /^(?:(?:.*[._-])?service[._-]?account(?:[._-]?key)?(?:[._-].*)?|client_secrets?(?:[._-].*)?|(?:application_default_)?credentials|(?:.*[._-])?firebase-adminsdk[._-].*|local\.settings)\.json$|^secrets\.(?:json|ya?ml|toml)$/
/** Folders of translations, where `id.json` is Indonesian. */
const translations =
  /^_?(?:locales?|lang|langs|languages?|i18n|l10n|translations?|messages|strings|dictionar(?:y|ies))$/
/** What was typed, with its passwords: `.bash_history`. */
const history = /^\.[a-z_]+_history$/
/** The database of a till, and the key of a wallet, as these documents name them. */
const ofTill = /^(?:till\.sqlite(?:-(?:wal|shm|journal))?|key\.txt)$/
/** What the words of a wallet are saved as. */
const words = /^(?:mnemonic|(?:seed|recovery)[._ -]?phrase|private[._ -]?key)(?:\.(?:txt|json))?$/
/** What Ethereum's clients write: a key, locked by a password. */
const keystore = /^utc--\d{4}-/
/** Keys of a server by `ssh-keygen -A`. */
const hostKey = /^ssh_host_[a-z0-9]+_key$/
/** Tokens of package registries and of code hosts, in the folders of their tools. */
const ofTools =
  /^\.(?:cargo\/credentials(?:\.toml)?|composer\/auth\.json|gem\/credentials|m2\/settings\.xml)$|^gh\/hosts\.yml$|^\.vscode\/sftp\.json$|^\.claude\/settings\.local\.json$/
/** What Terraform knows of an infrastructure, with its passwords, and the files of values that it reads by itself. */
const terraformState = /\.tfstate$|(?:^terraform|\.auto)\.tfvars(?:\.json)?$/

const isPrivate = (segment: string, folder: string): boolean => {
  const whole = segment.toLowerCase()
  const name = whole.replace(copy, "")
  const parent = folder.toLowerCase()
  if (names.has(name)) return true
  if ([environment, keypair, credentials].some((pattern) => pattern.test(name))) return !example.test(name)
  if (name === "solana") return parent === ".config"
  // Passwords of registries.
  if (name === "config.json") return parent === ".docker"
  if (name === "id.json") return !translations.test(parent)
  if (ofTools.test(`${parent}/${name}`)) return true
  return [sshKey, hostKey, keyFile, keystore, history, ofTill, terraformState, words].some((pattern) =>
    pattern.test(name)
  )
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
    if (isPrivate(segment, segments[index - 1] ?? "")) return part
  }
  return undefined
}

/** What is wrong with such a part. */
export const privateFault = (part: string, why = "is private by its name") => ({
  path: part,
  message: `${why}: leave it out, or allow it (--allow ${JSON.stringify(part)})`
})

/** 64 numbers in JSON: a key as Solana's tools write it, or a table of other numbers. */
const ofKeyLength = /^\s*\[(?:\s*\d{1,3}\s*,){63}\s*\d{1,3}\s*\]\s*$/

/** What precedes the 32 bytes of a key of Ed25519 in PKCS#8. */
const pkcs8 = Buffer.from("302e020100300506032b657004220420", "hex")

/** Whether bytes are a key of Solana: the half that signs, and the public half that follows from it. */
const isSolanaKey = (bytes: Buffer): boolean => {
  const key = Buffer.concat([pkcs8, bytes.subarray(0, 32)])
  const signing = createPrivateKey({ key, format: "der", type: "pkcs8" })
  return createPublicKey(signing)
    .export({ format: "der", type: "spki" })
    .subarray(-32)
    .equals(bytes.subarray(32))
}

/** Whether a file is the key of a wallet: of Solana, or one of Ethereum that a password locks. */
export const isWalletKey = (bytes: Buffer): boolean => {
  const text = bytes.toString("latin1")
  return (
    (ofKeyLength.test(text) && isSolanaKey(Buffer.from(text.match(/\d+/g)!.map(Number)))) ||
    (/^\s*\{/.test(text) && /"ciphertext"/.test(text) && /"kdfparams"/.test(text))
  )
}

/** Whether the seller wants to sell a file by its path. */
export const isAllowed = (path: string, allow: ReadonlyArray<string>): boolean =>
  allow.some((part) => path === part || path.startsWith(`${part}/`))
