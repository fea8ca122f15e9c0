import { createHash, randomBytes } from "node:crypto"
import type { ArchiveFacts } from "@till402/core"
import type { ArchiveStorage } from "../storage/ArchiveStorage.ts"

/** A test of the contract of `ArchiveStorage`, for any test runner. Throws `StorageContractViolation`. */
export interface StorageTest {
  readonly name: string
  readonly run: () => Promise<void>
}

/** A storage breaks a promise of the contract. */
export class StorageContractViolation extends Error {
  override readonly name = "StorageContractViolation"
}

const factsOf = (bytes: Uint8Array): ArchiveFacts => ({
  digest: createHash("sha256").update(bytes).digest("hex"),
  size: bytes.byteLength
})

const chunked = (bytes: Uint8Array, chunkBytes = 1_000) =>
  async function* (): AsyncGenerator<Uint8Array> {
    for (let at = 0; at < bytes.byteLength; at += chunkBytes) yield bytes.subarray(at, at + chunkBytes)
  }

const bytesOf = async (stream: ReadableStream<Uint8Array>): Promise<Buffer> => {
  const chunks: Array<Uint8Array> = []
  for await (const chunk of stream) chunks.push(chunk)
  return Buffer.concat(chunks)
}

const expectEqual = (actual: boolean | number, expected: boolean | number, what: string): void => {
  if (actual !== expected) throw new StorageContractViolation(`${what}: expected ${expected}, got ${actual}`)
}

const expectBytes = async (
  stream: ReadableStream<Uint8Array>,
  expected: Uint8Array,
  what: string
): Promise<void> => {
  expectEqual(Buffer.compare(await bytesOf(stream), expected), 0, `${what}, its bytes compared`)
}

const expectFailure = async (work: () => Promise<unknown>, what: string): Promise<void> => {
  const outcome = await work().then(
    () => "succeeded",
    () => "failed"
  )
  if (outcome !== "failed") throw new StorageContractViolation(`${what}: expected a failure`)
}

/** An archive whose bytes wait for `release` in the middle. */
const held = (bytes: Uint8Array) => {
  const gate = Promise.withResolvers<void>()
  const read = async function* (): AsyncGenerator<Uint8Array> {
    yield bytes.subarray(0, 10)
    await gate.promise
    yield bytes.subarray(10)
  }
  return { read, release: gate.resolve }
}

type Case = readonly [name: string, run: (storage: ArchiveStorage) => Promise<void>]

const keeping: ReadonlyArray<Case> = [
  ...[1, 1_000, 300_000].map((size): Case => [
    `an archive of ${size} bytes comes back byte for byte, whole and in parts`,
    async (storage) => {
      const bytes = randomBytes(size)
      const archive = factsOf(bytes)
      expectEqual(await storage.find(archive), false, "found before it is stored")
      await storage.put(archive, chunked(bytes))
      expectEqual(await storage.find(archive), true, "found")
      const middle = Math.floor(size / 2)
      await expectBytes(storage.open(archive, 0, size), bytes, "the whole")
      await expectBytes(storage.open(archive, middle, size), bytes.subarray(middle), "the second half")
      await expectBytes(storage.open(archive, 0, 1), bytes.subarray(0, 1), "the first byte")
      await expectBytes(storage.open(archive, size - 1, size), bytes.subarray(size - 1), "the last byte")
    }
  ]),
  [
    "an archive that is stored is not read again",
    async (storage) => {
      const bytes = randomBytes(5_000)
      const archive = factsOf(bytes)
      await storage.put(archive, chunked(bytes))
      await storage.put(archive, () => {
        throw new StorageContractViolation("read again")
      })
      await expectBytes(storage.open(archive, 0, 5_000), bytes, "the archive")
    }
  ],
  [
    "an archive of another size isn't found",
    async (storage) => {
      const bytes = randomBytes(100)
      const archive = factsOf(bytes)
      await storage.put(archive, chunked(bytes))
      expectEqual(await storage.find({ ...archive, size: 99 }), false, "found")
    }
  ],
  [
    "20 publishers of one archive at once store it whole",
    async (storage) => {
      const bytes = randomBytes(50_000)
      const archive = factsOf(bytes)
      await Promise.all(Array.from({ length: 20 }, () => storage.put(archive, chunked(bytes))))
      await expectBytes(storage.open(archive, 0, 50_000), bytes, "the archive")
    }
  ],
  [
    "a stream that is canceled is read no further",
    async (storage) => {
      const bytes = randomBytes(2_000_000)
      const archive = factsOf(bytes)
      await storage.put(archive, chunked(bytes, 100_000))
      const reader = storage.open(archive, 0, bytes.byteLength).getReader()
      expectEqual((await reader.read()).done, false, "the stream ended")
      await reader.cancel()
      expectEqual((await reader.read()).done, true, "ended by the cancel")
      await expectBytes(storage.open(archive, 0, 9), bytes.subarray(0, 9), "opened again")
    }
  ]
]

/** Digests that would be paths, and others that are none. */
const wrongDigests = [
  "../../etc/passwd",
  "/etc/passwd",
  "",
  "a".repeat(63),
  "A".repeat(64),
  `${"a".repeat(62)}/.`,
  `${"a".repeat(64)}\n`
]

const refusing: ReadonlyArray<Case> = [
  [
    "an archive isn't found while it is being stored",
    async (storage) => {
      const bytes = randomBytes(2_000)
      const archive = factsOf(bytes)
      const { read, release } = held(bytes)
      const stored = storage.put(archive, read)
      await new Promise((resolve) => setImmediate(resolve))
      expectEqual(await storage.find(archive), false, "found")
      release()
      await stored
      expectEqual(await storage.find(archive), true, "found when it is stored")
    }
  ],
  ...(["more bytes", "fewer bytes", "other bytes"] as const).map((fault): Case => [
    `${fault} than the digest names are refused, and nothing is stored`,
    async (storage) => {
      const bytes = randomBytes(3_000)
      const archive = factsOf(bytes)
      const given = {
        "more bytes": Buffer.concat([bytes, bytes]),
        "fewer bytes": bytes.subarray(1),
        "other bytes": randomBytes(3_000)
      }[fault]
      await expectFailure(() => storage.put(archive, chunked(given)), "stored")
      expectEqual(await storage.find(archive), false, "found")
      await storage.put(archive, chunked(bytes))
      expectEqual(await storage.find(archive), true, "found when its bytes are right")
    }
  ]),
  [
    "a source that breaks off leaves nothing behind",
    async (storage) => {
      const bytes = randomBytes(3_000)
      const archive = factsOf(bytes)
      const breaking = async function* (): AsyncGenerator<Uint8Array> {
        yield bytes.subarray(0, 1_000)
        throw new Error("the source broke off")
      }
      await expectFailure(() => storage.put(archive, breaking), "stored")
      expectEqual(await storage.find(archive), false, "found")
    }
  ],
  ...wrongDigests.map((digest): Case => [
    `the digest ${JSON.stringify(digest)} reaches no path`,
    async (storage) => {
      const archive = { digest, size: 1 }
      await expectFailure(async () => storage.put(archive, chunked(Buffer.from("a"))), "put")
      await expectFailure(async () => storage.find(archive), "find")
      await expectFailure(async () => bytesOf(storage.open(archive, 0, 1)), "open")
    }
  ]),
  [
    "an archive that isn't stored fails to open",
    (storage) => {
      const archive = factsOf(randomBytes(10))
      return expectFailure(async () => bytesOf(storage.open(archive, 0, 10)), "open")
    }
  ]
]

/**
 * The contract of `ArchiveStorage` as tests, for any test runner. The archives of the tests are random, so they may share
 * a storage.
 *
 * @example
 * for (const { name, run } of storageTests(() => folderStorage("/tmp/vault"))) test(name, run)
 */
export const storageTests = (
  make: () => ArchiveStorage | Promise<ArchiveStorage>
): ReadonlyArray<StorageTest> =>
  [...keeping, ...refusing].map(([name, run]) => ({ name, run: async () => run(await make()) }))
