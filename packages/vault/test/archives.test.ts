import { createHash, generateKeyPairSync } from "node:crypto"
import { createWriteStream, mkdirSync, readFileSync, symlinkSync, utimesSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { pipeline } from "node:stream/promises"
import { describe, expect, it } from "vitest"
import { ZipFile } from "yazl"
import { inspectZip } from "../src/archive/inspectZip.ts"
import { type ArchiveRules, defaultZipLimits, type ZipLimits } from "../src/archive/ZipLimits.ts"
import { zipFolder } from "../src/archive/zipFolder.ts"
import { temporaryFolder, writeFiles } from "./folders.ts"

interface Given {
  readonly name: string
  readonly content?: string | Uint8Array
  readonly mode?: number
}

/** A ZIP archive of these entries, then changed as `patch` wants: the library refuses to write most attacks. */
const zipOf = async (
  entries: ReadonlyArray<Given>,
  patch: (bytes: Buffer) => Buffer = (bytes) => bytes
): Promise<string> => {
  const zip = new ZipFile()
  for (const { content = "content", mode = 0o100644, name } of entries)
    zip.addBuffer(Buffer.from(content), name, { mode })
  zip.end()
  const path = join(temporaryFolder(), "archive.zip")
  await pipeline(zip.outputStream, createWriteStream(path))
  writeFileSync(path, patch(readFileSync(path)))
  return path
}

/** Another name of the same length, in the header of the file and in the directory. */
const renamed = (from: string, to: string) => (bytes: Buffer) =>
  Buffer.from(bytes.toString("latin1").replaceAll(from, to), "latin1")

const centralHeader = Buffer.from([0x50, 0x4b, 1, 2])

/** Changes a number in the first header of the directory, and in the local header, where it's two bytes earlier. */
const inHeaders = (offset: number, value: number, length: 2 | 4) => (bytes: Buffer) => {
  bytes.writeUIntLE(value, bytes.indexOf(centralHeader) + offset, length)
  bytes.writeUIntLE(value, offset - 2, length)
  return bytes
}

const faultsOf = async (path: string, limits: Partial<ZipLimits> = {}) =>
  (await inspectZip(path, { ...defaultZipLimits, allow: [], ...limits })).faults.map(
    ({ message, path: name }) => `${name}: ${message}`
  )

describe("a ZIP archive is accepted", () => {
  it.each([
    ["files and folders", [{ name: "README.md" }, { name: "docs/guide.md" }, { name: "docs/café 東京.md" }]],
    ["an executable script", [{ name: "run.sh", mode: 0o100755 }]],
    [
      "names like those of devices and secrets",
      [
        { name: "console.md" },
        { name: "com10/aux-in.md" },
        { name: ".env.example" },
        { name: ".env.sample" },
        { name: ".envoy.yaml" },
        { name: ".gitignore" },
        { name: "id_rsa.pub" },
        { name: "id_card" },
        { name: "terraform.tfvars.example" },
        { name: "dev.tfvars" },
        { name: "a hard copy" },
        { name: "docs/kubeconfig.md" },
        { name: ".docker/Dockerfile" },
        { name: "keys.md" },
        { name: "src/env.ts" }
      ]
    ],
    ["names that begin with dots", [{ name: "..md" }, { name: "a/...b/.config" }]],
    ["an empty file", [{ name: "empty", content: "" }]]
  ])("with %s", async (_, entries) => {
    expect(await faultsOf(await zipOf(entries))).toEqual([])
  })
})

describe("a ZIP archive is refused", () => {
  it.each([
    ["aa/evil.txt", "../evil.txt"],
    ["a/bb/evil.txt", "a/../evil.txt"],
    ["aetc/passwd", "/etc/passwd"],
    ["aa_evil.txt", "..\\evil.txt"],
    ["CC/evil.txt", "C:/evil.txt"],
    ["aa/evil.txt", "a//evil.txt"],
    ["aa/evil.txt", "./aevil.txt"],
    ["aa_evil.txt", "aa\u0000evil.txt"],
    ["aa_evil.txt", "aa\u001bevil.txt"],
    ["aa_evil.txt", "aa_evil.tx."],
    ["a/bb/evil.txt", "a/b /evil.txt"]
  ])("with the name %j made %j", async (from, to) => {
    const [fault, ...others] = await faultsOf(
      await zipOf([{ name: "fine" }, { name: from }], renamed(from, to))
    )
    expect(fault).toMatch(/must (?:be a relative path|not )/)
    expect(others).toEqual([])
  })

  it.each(["CON", "docs/nul.md", "Aux/a.md", "COM1.tar.gz", "lpt9", "prn .md"])(
    "with the name of a device: %s",
    async (name) => {
      expect(await faultsOf(await zipOf([{ name }]))).toEqual([`${name}: is the name of a device on Windows`])
    }
  )

  it("with a name that is shown with another ending", async () => {
    expect(await faultsOf(await zipOf([{ name: "notes\u202etxt.exe" }]))).toEqual([
      expect.stringMatching(/: must not contain characters that turn the direction of text/)
    ])
  })

  it("with private names, each reported once, unless they are allowed", async () => {
    const path = await zipOf(
      [
        ".env",
        "a/.ENV.local",
        ".git/HEAD",
        ".git/config",
        "deploy/id_ed25519",
        "tls/server.key",
        "cert.pem",
        "production.env",
        ".envs/a",
        "id_rsa.bak",
        "AuthKey.p8",
        "server.key~",
        ".bash_history",
        "terraform.tfstate.backup",
        ".docker/config.json",
        "data/till.sqlite",
        "data/till.sqlite-wal",
        "till.sqlite.bak",
        "key.txt",
        ".config/solana/cli/config.yml",
        ".config/solana/id.json",
        "home/.Config/Solana/id.json",
        "id.json",
        "wallets/ID.json.bak",
        ".cargo/credentials.toml",
        ".jj/repo",
        "keystore/UTC--2026-01-01T00-00-00.000Z--abc",
        "ssh_host_ed25519_key",
        "keypair.json",
        "target/deploy/shop-keypair.json",
        ".dev.vars",
        ".flaskenv",
        "service-account.json",
        "shop-serviceAccountKey.json",
        "client_secret_12.apps.json",
        "credentials.json",
        "config/secrets.yaml",
        "UTC--2024-01-01T00-00-00.000Z--209693bc6afc0c5328ba36faf03c514ef312287c",
        "mnemonic.txt",
        "wallet/Seed-Phrase.txt",
        "private_key",
        "recovery phrase.json.bak",
        "env.production",
        "app/env.local",
        "dotenv.dev.local",
        // Not private:
        "env.ts",
        "env.d.ts",
        "env.json",
        "env.production.example",
        "dotenv/README.md",
        ".yarnrc.yml",
        "private-keys.md",
        "mnemonics.txt",
        "locales/en/wallet.json",
        ".dev.vars.example",
        "service-account.example.json",
        "services/account.md",
        "secrets.md",
        "client_secrets.ts",
        "UTC--offsets.md",
        ".cargo/config.toml",
        "docs/hosts.yml",
        "auth.json",
        "ssh_host_ed25519_key.pub",
        "locales/id.json",
        "src/i18n/id.json",
        "grid.json",
        "solana/README.md",
        ".config/app.json",
        "keypair.example.json",
        "example-keypair.json",
        "keypairs.json",
        ".env.example",
        "example.env",
        ".envoy.yaml",
        "environment.md",
        "id_rsa.pub",
        "history.md",
        "data/cities.sqlite",
        "monkey.txt",
        "docker/config.json"
      ].map((name) => ({ name }))
    )
    const found = await inspectZip(path, { ...defaultZipLimits, allow: [] })
    expect(found.faults.map(({ path: part }) => part)).toEqual([
      ".env",
      "a/.ENV.local",
      ".git",
      "deploy/id_ed25519",
      "tls/server.key",
      "cert.pem",
      "production.env",
      ".envs",
      "id_rsa.bak",
      "AuthKey.p8",
      "server.key~",
      ".bash_history",
      "terraform.tfstate.backup",
      ".docker/config.json",
      "data/till.sqlite",
      "data/till.sqlite-wal",
      "till.sqlite.bak",
      "key.txt",
      ".config/solana",
      "home/.Config/Solana",
      "id.json",
      "wallets/ID.json.bak",
      ".cargo/credentials.toml",
      ".jj",
      "keystore/UTC--2026-01-01T00-00-00.000Z--abc",
      "ssh_host_ed25519_key",
      "keypair.json",
      "target/deploy/shop-keypair.json",
      ".dev.vars",
      ".flaskenv",
      "service-account.json",
      "shop-serviceAccountKey.json",
      "client_secret_12.apps.json",
      "credentials.json",
      "config/secrets.yaml",
      "UTC--2024-01-01T00-00-00.000Z--209693bc6afc0c5328ba36faf03c514ef312287c",
      "mnemonic.txt",
      "wallet/Seed-Phrase.txt",
      "private_key",
      "recovery phrase.json.bak",
      "env.production",
      "app/env.local",
      "dotenv.dev.local"
    ])
    expect(found.faults[0]?.message).toContain("--allow")
    const allow = found.faults.map(({ path: part }) => part).filter((part) => part !== "cert.pem")
    expect((await inspectZip(path, { ...defaultZipLimits, allow })).faults).toEqual([
      expect.objectContaining({ path: "cert.pem" })
    ])
  })

  it.each([
    "site/wp-config.php",
    "rootkey.csv",
    "default_accessKeys.csv",
    ".secret",
    "prod.auto.tfvars",
    "wallet.dat",
    ".vscode/sftp.json",
    ".claude/settings.local.json",
    ".my.cnf",
    "kubeconfig",
    "terraform.tfvars",
    "local.settings.json",
    "application_default_credentials.json",
    "shop-firebase-adminsdk-x1y2z-0123.json",
    "id_ed25519 copy",
    "keys/id_rsa (1)",
    ".env copy 2"
  ])("with the private name %s", async (name) => {
    const [fault] = await faultsOf(await zipOf([{ name }]))
    expect(fault).toContain(`${name}: is private by its name`)
  })

  it("with the key of a wallet by any name, unless it is allowed", async () => {
    const { d = "", x = "" } = generateKeyPairSync("ed25519").privateKey.export({ format: "jwk" })
    const bytes = [d, x].flatMap((half) => [...Buffer.from(half, "base64url")])
    const locked = {
      address: "ab",
      crypto: { cipher: "aes-128-ctr", ciphertext: "cd", kdf: "scrypt", kdfparams: { n: 8 } }
    }
    const keys = [
      { name: "wallet.json", content: JSON.stringify(bytes) },
      { name: "data/treasury.txt", content: JSON.stringify(bytes, undefined, 2) },
      { name: "account.json", content: JSON.stringify(locked) }
    ]
    const others = [
      { name: "locales/en/wallet.json", content: JSON.stringify({ title: "Wallet" }) },
      { name: "vector.json", content: JSON.stringify([...bytes, 1]) },
      // As many numbers, such as the squares of a board or how a picture is quantized.
      { name: "board.json", content: JSON.stringify(bytes.map((_, square) => square)) },
      {
        name: "table.json",
        content: JSON.stringify(bytes.map((_, index) => 16 + index)).replace("16", "016")
      },
      { name: "floats.json", content: JSON.stringify(bytes.map((byte) => byte / 256)) },
      { name: "keystores.md", content: `A file has ciphertext and kdfparams: ${JSON.stringify(locked)}` }
    ]
    const path = await zipOf([...keys, ...others])
    const { faults } = await inspectZip(path, { ...defaultZipLimits, allow: [] })
    expect(faults.map(({ message, path: name }) => `${name}: ${message}`)).toEqual(
      keys.map(({ name }) => `${name}: is the key of a wallet: leave it out, or allow it (--allow "${name}")`)
    )
    const allow = ["wallet.json", "data", "account.json"]
    expect((await inspectZip(path, { ...defaultZipLimits, allow })).faults).toEqual([])
  })

  const inspected = async (entries: Parameters<typeof zipOf>[0], allow: ReadonlyArray<string> = []) => {
    const { faults } = await inspectZip(await zipOf(entries), { ...defaultZipLimits, allow })
    return faults.map(({ message, path }) => `${path}: ${message.replace(/: leave.*/, "")}`)
  }
  const databaseWith = (sql: string): { readonly main: Buffer; readonly wal: Buffer } => {
    const file = join(temporaryFolder(), "data.sqlite")
    const database = new DatabaseSync(file, { timeout: 60_000 })
    database.exec("PRAGMA journal_mode = WAL")
    database.exec(sql)
    const wal = readFileSync(`${file}-wal`)
    database.close()
    return { main: readFileSync(file), wal }
  }

  it("with the database of a till by any name, and none of other programs", async () => {
    const others = Array.from({ length: 200 }, (_, index) => `CREATE TABLE other_${index} (id TEXT);`).join(
      ""
    )
    const { main, wal } = databaseWith(`${others} CREATE TABLE till_charges (key TEXT PRIMARY KEY);`)
    const cities = databaseWith(
      `${others} CREATE TABLE cities (name TEXT); CREATE TABLE till_rolls (id TEXT);`
    )
    const of = [
      { name: "testnet.sqlite", content: main },
      { name: "data/shop.db-wal", content: wal }
    ]
    for (const table of ["till_settlements", "till_solana_transfers"]) {
      const { main: journal } = databaseWith(`CREATE TABLE IF NOT EXISTS ${table} (id TEXT PRIMARY KEY)`)
      of.push({ name: `${table}.sqlite`, content: journal })
    }
    const rest = [
      { name: "cities.sqlite", content: cities.main },
      { name: "cities.sqlite-wal", content: cities.wal },
      { name: "schema.sql", content: "CREATE TABLE till_charges (key TEXT);" },
      { name: "short", content: "SQLite" }
    ]
    expect(await inspected([...of, ...rest])).toEqual([
      "testnet.sqlite: is the database of a till",
      "data/shop.db-wal: is the database of a till",
      "till_settlements.sqlite: is the database of a till",
      "till_solana_transfers.sqlite: is the database of a till"
    ])
    expect(await inspected(of, ["data", ...of.map(({ name }) => name)])).toEqual([])
  })

  it("with keys and tokens in settings, and none with placeholders or of public wallets", async () => {
    const { privateKey } = generateKeyPairSync("ed25519")
    const pem = privateKey.export({ format: "pem", type: "pkcs8" }).toString()
    const key = "5f0a1b2c".repeat(8)
    const settings = (env: object, headers: object = {}) =>
      JSON.stringify({ mcpServers: { search: { command: "npx", args: ["-y", "search"], env, headers } } })
    const entries = [
      { name: ".mcp.json", content: settings({ SEARCH_API_KEY: `s${key.slice(0, 31)}` }) },
      { name: "app/.cursor/mcp.json", content: settings({ GH: `ghp_${key.slice(0, 36)}` }) },
      { name: "mcp.json", content: settings({}, { Authorization: `Bearer ${key}` }) },
      { name: ".windsurf/mcp_config.json", content: settings({ GH: `ghp_${key.slice(0, 36)}` }) },
      { name: "mcp_config.json", content: settings({ GH: `ghp_${key.slice(0, 36)}` }) },
      { name: ".codex/auth.json", content: JSON.stringify({ OPENAI_API_KEY: `sk-${key}` }) },
      {
        name: ".claude/.credentials.json",
        content: JSON.stringify({ claudeAiOauth: { accessToken: `sk-ant-oat01-${key}` } })
      },
      { name: "wallet.json", content: JSON.stringify({ privateKey: `0x${key}` }) },
      { name: "words.json", content: JSON.stringify({ mnemonic: Array(12).fill("zebra").join(" ") }) },
      { name: "deploy_key", content: pem },
      {
        name: "gcp.json",
        content: JSON.stringify({ type: "service_account", private_key: pem }, undefined, 2)
      },
      { name: "cdp.json", content: JSON.stringify({ name: "organizations/a/apiKeys/b", privateKey: pem }) },
      {
        name: "cdp_api_key.json",
        content: JSON.stringify({ id: "3f2a", privateKey: Buffer.from(key).toString("base64") })
      },
      { name: ".yarnrc.yml", content: `npmAuthToken: npm_${key.slice(0, 36)}\n` },
      { name: "office.ovpn", content: `client\nremote vpn 1194\n<key>\n${pem}</key>\n` }
    ]
    const ours = "${SEARCH_API_KEY}"
    const honest = [
      settings({ SEARCH_API_KEY: ours }),
      settings({ SEARCH_API_KEY: "<your key of search.example, 32 characters>" }),
      settings({ GH: `ghp_${"x".repeat(36)}`, LOG_LEVEL: "debug" }),
      settings({}, { Authorization: "Bearer YOUR_TOKEN_0123456789" }),
      JSON.stringify({ mcpServers: { docs: { url: "https://docs.example/mcp" } } })
    ].map((content, index) => ({ name: `${index}/.mcp.json`, content }))
    const others = [
      {
        name: ".claude/settings.json",
        content: JSON.stringify({ permissions: { allow: ["Bash(npm test:*)"] } })
      },
      { name: "j/.codex/auth.json", content: JSON.stringify({ OPENAI_API_KEY: null, tokens: {} }) },
      { name: "src/auth.json", content: JSON.stringify({ token: `sk-${key}` }) },
      { name: "f/wallet.json", content: JSON.stringify({ mnemonic: `${"test ".repeat(11)}junk` }) },
      { name: "g/wallet.json", content: JSON.stringify({ privateKey: "0x…" }) },
      { name: "h/.yarnrc.yml", content: 'npmAuthToken: "${NPM_TOKEN}"\nnodeLinker: node-modules\n' },
      { name: "test/fixtures/account.json", content: JSON.stringify({ private_key: pem }) },
      {
        name: "gcp-key.example.json",
        content: JSON.stringify({
          private_key: "-----BEGIN PRIVATE KEY-----\nyour key\n-----END PRIVATE KEY-----\n"
        })
      },
      { name: "i/settings.json", content: JSON.stringify({ privateKey: "the path of the key" }) },
      { name: "SKILL.md", content: `Write the key to deploy_key:\n\n${pem}` },
      { name: "sample.ovpn", content: "client\nremote vpn 1194\n<key>\nyour key\n</key>\n" },
      { name: "wp-config-sample.php", content: "<?php" }
    ]
    expect(await inspected([...entries, ...honest, ...others])).toEqual([
      ".mcp.json: has a key or a token in it",
      "app/.cursor/mcp.json: has a key or a token in it",
      "mcp.json: has a key or a token in it",
      ".windsurf/mcp_config.json: has a key or a token in it",
      "mcp_config.json: has a key or a token in it",
      ".codex/auth.json: has a key or a token in it",
      ".claude/.credentials.json: has a key or a token in it",
      "wallet.json: has the key of a wallet",
      "words.json: has the key of a wallet",
      "deploy_key: has a private key",
      "gcp.json: has a private key",
      "cdp.json: has a private key",
      "cdp_api_key.json: has a private key",
      ".yarnrc.yml: has a key or a token in it",
      "office.ovpn: has a private key"
    ])
    const allow = entries.map(({ name }) => name)
    expect(await inspected(entries, allow)).toEqual([])
  })

  it("with a link, wherever it points", async () => {
    const links = [
      { name: "a", content: "/etc/passwd", mode: 0o120777 },
      { name: "b", content: "fine", mode: 0o120777 }
    ]
    expect(await faultsOf(await zipOf([{ name: "fine" }, ...links]))).toEqual([
      "a: is a link",
      "b: is a link"
    ])
  })

  it.each([
    ["a device", 0o060644],
    ["a pipe", 0o010644],
    ["a socket", 0o140644]
  ])("with %s", async (_, mode) => {
    expect(await faultsOf(await zipOf([{ name: "a", mode }]))).toEqual(["a: is a special file"])
  })

  it("with two files of one name, which file systems may not tell apart", async () => {
    expect(
      await faultsOf(
        await zipOf([{ name: "Read.md" }, { name: "rEAD.MD" }, { name: "x/e\u0301" }, { name: "x/é" }])
      )
    ).toEqual(["rEAD.MD: occurs twice", "x/é: occurs twice"])
  })

  it("with too many entries, before they are read", async () => {
    const entries = Array.from({ length: 11 }, (_, index) => ({ name: `file-${index}` }))
    expect(await faultsOf(await zipOf(entries), { maxEntries: 10 })).toEqual([": has more than 10 entries"])
    expect(await faultsOf(await zipOf(entries), { maxEntries: 11 })).toEqual([])
  })

  it("with more bytes than allowed, packed or unpacked", async () => {
    const bomb = await zipOf([
      { name: "a", content: new Uint8Array(400_000) },
      { name: "b", content: new Uint8Array(400_000) }
    ])
    expect(readFileSync(bomb).length).toBeLessThan(5_000)
    expect(await faultsOf(bomb, { maxUnpackedBytes: 799_999 })).toEqual([
      ": unpacks to more than 799999 bytes"
    ])
    expect(await faultsOf(bomb, { maxUnpackedBytes: 800_000 })).toEqual([])
    expect(await faultsOf(bomb, { maxArchiveBytes: 1_000 })).toEqual([": has more than 1000 bytes"])
  })

  it("with a bomb that says it is small", async () => {
    const path = await zipOf([{ name: "a", content: new Uint8Array(400_000) }], inHeaders(24, 100, 4))
    expect((await faultsOf(path, { maxUnpackedBytes: 1_000 })).join()).toMatch(
      /^a: can't be unpacked: .*bytes/
    )
  })

  it("with an encrypted file", async () => {
    expect(await faultsOf(await zipOf([{ name: "a" }], inHeaders(8, 0x0801, 2)))).toEqual(["a: is encrypted"])
  })

  it("with a compression that few programs read", async () => {
    const path = await zipOf([{ name: "a" }], inHeaders(10, 99, 2))
    expect(await faultsOf(path)).toEqual(["a: is written in a way that few programs read"])
  })

  it("with damaged bytes", async () => {
    const content = Buffer.from("many words ".repeat(1_000))
    const path = await zipOf([{ name: "a", content }], (bytes) => {
      bytes.fill(0xff, 40, 60)
      return bytes
    })
    expect((await faultsOf(path)).join()).toMatch(/^a: can't be unpacked/)
  })

  it("without files", async () => {
    expect(await faultsOf(await zipOf([]))).toEqual([": has no files"])
  })

  it.each([
    ["text", "not a ZIP archive"],
    ["nothing", ""]
  ])("that is %s", async (_, content) => {
    const path = join(writeFiles(temporaryFolder(), { "a.zip": content }), "a.zip")
    expect((await faultsOf(path)).join()).toMatch(/^: is not a sound ZIP archive/)
  })

  it("with every fault at once", async () => {
    const path = await zipOf(
      [{ name: "aa/evil.txt" }, { name: "link", mode: 0o120777 }, { name: "twice" }, { name: "TWICE" }],
      renamed("aa/evil.txt", "../evil.txt")
    )
    expect(await faultsOf(path)).toHaveLength(3)
  })
})

const zipped = async (folder: string, rules: Partial<ArchiveRules> = {}) => {
  const target = join(temporaryFolder(), "made.zip")
  const faults = await zipFolder(folder, target, { ...defaultZipLimits, allow: [], ...rules })
  return { target, faults: faults.map(({ message, path }) => `${path}: ${message}`) }
}

const files = {
  "README.md": "read me",
  "docs/a.md": "first",
  "docs/B.md": "second",
  "docs/deep/c.txt": "third"
}

describe("an archive of a folder", () => {
  it("has the same bytes whenever and in whichever order the files were written", async () => {
    const first = writeFiles(temporaryFolder(), files)
    const second = writeFiles(temporaryFolder(), Object.fromEntries(Object.entries(files).toReversed()))
    utimesSync(join(second, "README.md"), 1_000_000_000, 1_000_000_000)
    mkdirSync(join(second, "an empty folder"))
    const [one, other] = await Promise.all([zipped(first), zipped(second)])
    expect(one!.faults).toEqual([])
    expect(readFileSync(other!.target)).toEqual(readFileSync(one!.target))
    expect(await faultsOf(one!.target)).toEqual([])
  })

  it.each(["UTC", "Pacific/Auckland", "America/Los_Angeles"])(
    "has the same bytes in the time zone %s",
    async (zone) => {
      const before = process.env["TZ"]
      process.env["TZ"] = zone
      try {
        const { target } = await zipped(writeFiles(temporaryFolder(), { "a.txt": "a" }))
        const digest = createHash("sha256").update(readFileSync(target)).digest("hex")
        expect(digest).toBe(await digestInUtc())
      } finally {
        if (before === undefined) delete process.env["TZ"]
        else process.env["TZ"] = before
      }
    }
  )

  it("refuses links, also to its own files, and says where they all are", async () => {
    const folder = writeFiles(temporaryFolder(), files)
    symlinkSync("/etc/passwd", join(folder, "outside"))
    symlinkSync("README.md", join(folder, "docs", "inside"))
    symlinkSync(folder, join(folder, "docs", "loop"))
    const { faults } = await zipped(folder)
    expect(faults.toSorted()).toEqual([
      "docs/inside: is a link",
      "docs/loop: is a link",
      "outside: is a link"
    ])
  })

  it("refuses private files and folders, unless they are allowed", async () => {
    const folder = writeFiles(temporaryFolder(), {
      ...files,
      ".env": "KEY=1",
      ".env.example": "KEY=",
      ".git/HEAD": "ref",
      ".git/config": "url",
      "docs/node_modules/a/index.js": "a"
    })
    const { faults } = await zipped(folder)
    expect(faults.map((fault) => fault.split(":")[0]).toSorted()).toEqual([
      ".env",
      ".git",
      "docs/node_modules"
    ])
    const { faults: none, target } = await zipped(folder, {
      allow: [".env", ".git", "docs/node_modules"]
    })
    expect(none).toEqual([])
    expect((await faultsOf(target)).length).toBe(3)
  })

  it("refuses an empty folder, and one beyond the limits", async () => {
    expect((await zipped(temporaryFolder())).faults).toEqual([": has no files"])
    const folder = writeFiles(temporaryFolder(), files)
    expect((await zipped(folder, { maxEntries: 3 })).faults).toEqual([": has more than 3 entries"])
    expect((await zipped(folder, { maxUnpackedBytes: 10 })).faults).toEqual([
      ": unpacks to more than 10 bytes"
    ])
  })
})

const digestInUtc = async (): Promise<string> => {
  const before = process.env["TZ"]
  process.env["TZ"] = "UTC"
  const { target } = await zipped(writeFiles(temporaryFolder(), { "a.txt": "a" }))
  process.env["TZ"] = before ?? "UTC"
  return createHash("sha256").update(readFileSync(target)).digest("hex")
}
