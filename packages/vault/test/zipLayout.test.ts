import { execFileSync, spawnSync } from "node:child_process"
import { readdirSync, readFileSync, readlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { crc32, deflateRawSync } from "node:zlib"
import { Effect, Stream } from "effect"
import { Zip } from "effect/encoding"
import { describe, expect, it } from "vitest"
import { inspectZip } from "../src/archive/inspectZip.ts"
import { defaultZipLimits } from "../src/archive/ZipLimits.ts"
import { temporaryFolder, writeFiles } from "./folders.ts"
import {
  endRecord,
  extraField,
  factsOf,
  handMade,
  largeEndRecords,
  localHeader,
  type Part,
  readByLocalHeaders,
  sizesAfterData,
  u16,
  u32,
  u64,
  unicodeName
} from "./handMade.ts"

const fileOf = (bytes: Uint8Array): string => {
  const path = join(temporaryFolder(), "archive.zip")
  writeFileSync(path, bytes)
  return path
}

const inspect = async (path: string) => {
  const { faults, files } = await inspectZip(path, { ...defaultZipLimits, allow: [] })
  return {
    faults: faults.map((fault) => `${fault.path}: ${fault.message}`),
    names: files.map((file) => file.path)
  }
}

const faultsOf = async (bytes: Uint8Array): Promise<string> =>
  (await inspect(fileOf(bytes))).faults.join("\n")

type Facts = ReturnType<typeof factsOf>["fields"]
const signature = u32(0x0807_4b50)
type Sizes = Pick<Facts, "crc" | "packed" | "size">
const small = ({ crc, packed, size }: Sizes) => Buffer.concat([u32(crc), u32(packed), u32(size)])
const large = ({ crc, packed, size }: Sizes) => Buffer.concat([u32(crc), u64(packed), u64(size)])
const signed = (sizes: Sizes) => Buffer.concat([signature, small(sizes)])

/** An entry whose sizes follow it. */
const streamed = (part: Part, after: (sizes: Sizes) => Buffer = signed): Part => ({
  ...part,
  flags: sizesAfterData | (part.flags ?? 0),
  local: { crc: 0, packed: 0, size: 0, ...part.local },
  after
})

const zip64 = (...sizes: ReadonlyArray<number>) => extraField(0x0001, ...sizes.map(u64))
const saturated = { packed: 0xffff_ffff, size: 0xffff_ffff }

describe("an honest archive is accepted, as", () => {
  const plain: Part = { name: "docs/a.md" }
  const large64 = factsOf(plain).fields

  it.each<[string, Buffer]>([
    [
      "7-Zip writes it: times of NTFS in the directory only",
      handMade([
        { ...plain, listed: { extra: extraField(0x000a, u32(0), u16(1), u16(24), Buffer.alloc(24)) } }
      ])
    ],
    [
      "Info-ZIP writes it: more times in the local header than in the directory",
      handMade([
        {
          ...plain,
          local: {
            extra: Buffer.concat([
              extraField(0x5455, Buffer.from([3]), u32(1), u32(2)),
              extraField(0x7875, Buffer.from([1, 4]), u32(0), Buffer.from([4]), u32(0))
            ])
          },
          listed: { extra: extraField(0x5455, Buffer.from([3]), u32(1)) }
        }
      ])
    ],
    [
      "Info-ZIP writes a name in Unicode",
      handMade([{ name: "caf_.md", extra: unicodeName("caf_.md", "café.md") }])
    ],
    [
      "macOS writes it: sizes after the data, a folder, resource forks, UTF-8 without a flag",
      handMade([
        { name: "Kurs/", content: "", method: 0, attributes: 0o040755 * 0x1_0000 },
        streamed({ name: "Kurs/über.md" }),
        streamed({ name: "__MACOSX/Kurs/._über.md", content: Buffer.alloc(163) })
      ])
    ],
    [
      "streaming tools write it: sizes without a signature",
      handMade([streamed(plain, small), streamed({ name: "b.md" }, small)])
    ],
    [
      "streaming tools write it: stored, with sizes after the data",
      handMade([streamed({ name: "a.md", method: 0 }), streamed({ name: "empty", method: 0, content: "" })])
    ],
    [
      "tools for large files write it: sizes of 8 bytes in both places",
      handMade([
        streamed({ ...plain, local: { ...saturated, extra: zip64(0, 0) } }, large),
        streamed({ name: "b.md", local: { ...saturated, extra: zip64(0, 0) } }, (sizes) =>
          Buffer.concat([signature, large(sizes)])
        )
      ])
    ],
    [
      "tools for large files write it: zip64 in headers and end",
      handMade(
        [{ ...plain, ...saturated, extra: zip64(large64.size, large64.packed) }].map(
          ({ extra, packed, size, ...part }) => ({
            ...part,
            local: { extra, packed, size },
            listed: { extra, packed, size }
          })
        ),
        {
          end: (count, bytes, start, at) =>
            Buffer.concat([
              largeEndRecords(count, bytes, start, at),
              endRecord(0xffff, 0xffff_ffff, 0xffff_ffff)
            ])
        }
      )
    ],
    [
      "tools for large files write it: zip64 in the end, beside the same numbers",
      handMade([plain], {
        end: (count, bytes, start, at) =>
          Buffer.concat([largeEndRecords(count, bytes, start, at), endRecord(count, bytes, start)])
      })
    ],
    [
      "java writes it: an empty folder that is deflated",
      handMade([{ name: "META-INF/", content: "", extra: extraField(0xcafe) }, plain])
    ],
    [
      "git archive writes it: with a comment",
      handMade([plain], { end: (count, bytes, start) => endRecord(count, bytes, start, "b58e11e0") })
    ]
  ])("%s", async (_, bytes) => {
    expect(await faultsOf(bytes)).toBe("")
  })

  it("listed in another order than it was written in", async () => {
    const parts = [{ name: "a.md" }, { name: "b.md" }]
    const [first, second] = parts.map((part) => handMade([part]))
    const lengths = [first!, second!].map((bytes) => bytes.indexOf("PK\u0001\u0002"))
    const bytes = handMade(
      parts.toReversed().map((part, index) => ({ ...part, offset: lengths[index]! * (1 - index) }))
    )
    // The local headers are in the first order.
    const [a, b] = [first!.subarray(0, lengths[0]), second!.subarray(0, lengths[1])]
    a.copy(bytes, 0)
    b.copy(bytes, a.length)
    expect(await inspect(fileOf(bytes))).toEqual({ faults: [], names: ["b.md", "a.md"] })
  })

  it("Effect writes it", async () => {
    const entries = [
      Zip.directory("docs"),
      Zip.file("docs/a.md", "a".repeat(5_000)),
      Zip.fileStream("docs/b.md", Stream.make(Buffer.from("bb"))),
      Zip.fileStream("docs/c.md", Stream.make(Buffer.from("cc")), { method: "Store", size: 2 })
    ]
    const chunks = await Effect.runPromise(
      Stream.runCollect(Stream.pipeThroughChannel(Stream.fromIterable(entries), Zip.encode()))
    )
    expect(await inspect(fileOf(Buffer.concat([...chunks])))).toEqual({
      faults: [],
      names: ["docs/a.md", "docs/b.md", "docs/c.md"]
    })
  })

  const has = (command: string): boolean => {
    try {
      execFileSync(command, ["--version"], { stdio: "ignore" })
      return true
    } catch {
      return false
    }
  }

  it.skipIf(!has("zip"))("Info-ZIP's command writes it, to a file and to a pipe", async () => {
    const folder = writeFiles(temporaryFolder(), { "a.md": "a".repeat(5_000), "docs/b.md": "b", empty: "" })
    const target = join(temporaryFolder(), "file.zip")
    execFileSync("zip", ["-qr", target, "."], { cwd: folder })
    const names = ["a.md", "docs/b.md", "empty"]
    for (const path of [
      target,
      fileOf(execFileSync("zip", ["-qr", "-", "."], { cwd: folder })),
      fileOf(execFileSync("zip", ["-qr0", "-", "."], { cwd: folder }))
    ]) {
      const found = await inspect(path)
      expect([found.faults, found.names.toSorted()]).toEqual([[], names])
    }
  })

  it.skipIf(!has("python3"))("Python writes it, to a file and to a pipe, with zip64", async () => {
    const script = `
import sys, zipfile
with zipfile.ZipFile(sys.argv[1] if len(sys.argv) > 1 else sys.stdout.buffer, "w", zipfile.ZIP_DEFLATED) as archive:
    archive.writestr("a.md", "a" * 5000)
    archive.writestr("docs/é.md", "b")
    archive.writestr("stored", "c", zipfile.ZIP_STORED)
    with archive.open("large", "w", force_zip64=True) as file:
        file.write(b"d" * 5000)
    zipfile.ZIP_FILECOUNT_LIMIT = 1
`
    const target = join(temporaryFolder(), "file.zip")
    execFileSync("python3", ["-c", script, target])
    expect(readFileSync(target).includes(u32(0x0606_4b50))).toBe(true)
    for (const path of [target, fileOf(execFileSync("python3", ["-c", script]))])
      expect(await inspect(path)).toEqual({ faults: [], names: ["a.md", "docs/é.md", "stored", "large"] })
  })
})

describe("a program that reads local headers finds other files than one that reads the directory, so it's refused:", () => {
  const guide: Part = { name: "guide.md", content: "A guide.", method: 0 }
  const hidden = { ...guide, name: "evil.sh", content: "rm -rf" }

  it.each<[string, Buffer, object, string]>([
    [
      "another name",
      handMade([{ ...guide, local: { name: "evil.sh" } }]),
      { "evil.sh": 8 },
      "guide.md: differs in its local header: name"
    ],
    [
      "another length",
      handMade([{ ...guide, local: { packed: 4, size: 4 } }]),
      { "guide.md": 4 },
      "guide.md: differs in its local header: size"
    ],
    [
      "a file that isn't listed, before the others",
      handMade([{ ...hidden, isListed: false }, guide]),
      { "evil.sh": 6, "guide.md": 8 },
      ": has bytes that belong to no entry, before guide.md"
    ],
    [
      "one between them",
      handMade([{ ...guide, name: "a.md" }, { ...hidden, isListed: false }, guide]),
      { "a.md": 8, "evil.sh": 6, "guide.md": 8 },
      ": has bytes that belong to no entry, before guide.md"
    ],
    [
      "one after them",
      handMade([guide, { ...hidden, isListed: false }]),
      { "guide.md": 8, "evil.sh": 6 },
      ": has bytes that belong to no entry, before the directory"
    ],
    [
      "a whole archive before it",
      handMade([guide], { prefix: handMade([hidden]) }),
      { "evil.sh": 6 },
      ": has bytes that belong to no entry, before guide.md"
    ]
  ])("%s", async (_, bytes, found, fault) => {
    expect(readByLocalHeaders(bytes)).toEqual(found)
    expect(await faultsOf(bytes)).toBe(fault)
  })
})

describe("an entry that unzip makes a link of, though its attributes are those of a file,", () => {
  const target = "/etc/hostname"
  const asi = Buffer.concat([u16(0o120777), u32(target.length), u16(0), u16(0), Buffer.from(target)])
  const extra = extraField(0x756e, u32(crc32(asi)), asi)
  const archive = handMade([{ name: "notes", content: target, method: 0, extra }])

  // The program of Info-ZIP isn't on every machine.
  it.skipIf(spawnSync("unzip", ["-v"]).error !== undefined)("is unpacked as a link", () => {
    const into = temporaryFolder()
    execFileSync("unzip", ["-q", fileOf(archive), "-d", into])
    expect(readlinkSync(join(into, "notes"))).toBe(target)
  })

  it("is refused", async () => {
    expect(await faultsOf(archive)).toBe("notes: is a link")
  })

  it("is refused where the local header alone has the field", async () => {
    const local = handMade([{ name: "notes", content: target, method: 0, local: { extra } }])
    expect(await faultsOf(local)).toBe("notes: differs in its local header: extra field")
  })
})

describe("an entry of which libarchive reads more than others", () => {
  const target = "/etc/hostname"
  // Which attributes follow: who made it, those inside, those outside.
  const attributes = extraField(0x6c78, Buffer.from([0b111]), u16(0x0314), u16(0), u32(0o120777 * 65_536))
  const link: Part = { name: "notes", content: target, method: 0 }
  const renamed: Part = { name: "a.txt", content: "A=1", method: 0 }
  const version2 = unicodeName("a.txt", ".env", 2)

  it.skipIf(spawnSync("cmake", ["--version"]).error !== undefined)("is unpacked as something else", () => {
    const into = temporaryFolder()
    for (const part of [
      { ...link, extra: attributes },
      { ...renamed, extra: version2 }
    ])
      execFileSync("cmake", ["-E", "tar", "xf", fileOf(handMade([part]))], { cwd: into })
    expect(readlinkSync(join(into, "notes"))).toBe(target)
    expect(readdirSync(into)).toEqual([".env", "notes"])
  })

  it.each<[string, Part, string]>([
    ["a link", { ...link, extra: attributes }, "notes: is a link"],
    [
      "a link in its local header",
      { ...link, local: { extra: attributes } },
      "notes: differs in its local header: extra field"
    ],
    ["a link in the directory", { ...link, listed: { extra: attributes } }, "notes: is a link"],
    [
      "a name of another version",
      { ...renamed, extra: version2 },
      "a.txt: differs in its local header: extra field"
    ],
    [
      "one in its local header",
      { ...renamed, local: { extra: version2 } },
      "a.txt: differs in its local header: extra field"
    ],
    [
      "one in the directory",
      { ...renamed, listed: { extra: version2 } },
      "a.txt: differs in its local header: extra field"
    ],
    [
      "a name in place of another one",
      { ...renamed, extra: unicodeName("b.txt", ".env") },
      "a.txt: differs in its local header: extra field"
    ],
    [
      "a name without its parts",
      { ...renamed, extra: extraField(0x7075, Buffer.from([1])) },
      "a.txt: differs in its local header: extra field"
    ]
  ])("is refused: %s", async (_, part, fault) => {
    expect(await faultsOf(handMade([part]))).toContain(fault)
  })

  it("is accepted with the name that it has", async () => {
    expect(await faultsOf(handMade([{ ...renamed, extra: unicodeName("a.txt", "a.txt") }]))).toBe("")
  })
})

describe("a ZIP archive is refused, in which programs may find different files:", () => {
  const guide: Part = { name: "guide.md", content: "A guide.", method: 0 }
  const packed = deflateRawSync(Buffer.from("A guide."))
  const inner = localHeader(factsOf({ name: "evil.sh", content: "rm -rf", method: 0 }).fields)

  it.each<[string, Buffer, string]>([
    [
      "two names in Unicode: some programs read the first, others the last",
      handMade([
        {
          ...guide,
          extra: Buffer.concat([unicodeName("guide.md", "guide.md"), unicodeName("guide.md", ".env")])
        }
      ]),
      "guide.md: differs in its local header: extra field"
    ],
    [
      "two sizes of a large file",
      handMade([{ ...guide, local: { extra: Buffer.concat([zip64(8, 8), zip64(4, 4)]) } }]),
      "guide.md: differs in its local header: extra field"
    ],
    [
      "another name in Unicode",
      handMade([{ ...guide, extra: unicodeName("guide.md", "evil.sh") }]),
      'evil.sh: has another name without Unicode: "guide.md"'
    ],
    [
      "a folder by its attribute, and a file by its name",
      handMade([{ ...guide, attributes: 0x10 }]),
      "guide.md: is a folder to some programs and a file to others"
    ],
    [
      "a folder by its rights, and a file by its name",
      handMade([{ ...guide, attributes: 0o040755 * 65_536 }]),
      "guide.md: is a folder to some programs and a file to others"
    ],
    [
      "a file by its rights, and a folder by its name",
      handMade([guide, { name: "docs/", content: "", method: 0, attributes: 0o100644 * 65_536 }]),
      "docs/: is a folder to some programs and a file to others"
    ],
    [
      "a file beside a folder of its name",
      handMade([guide, { ...guide, name: "Guide.md/a" }]),
      "Guide.md/a: is the name of a file and of a folder"
    ],
    [
      "a folder beside a file of its name",
      handMade([
        { ...guide, name: "a/b/c" },
        { ...guide, name: "a/b" }
      ]),
      "a/b: is the name of a file and of a folder"
    ],
    [
      "a flag for patched data",
      handMade([{ ...guide, flags: 0x20 }]),
      "guide.md: is written in a way that few programs read"
    ],
    [
      "a name that is no UTF-8",
      Buffer.from(
        handMade([{ ...guide, flags: 0x800 }])
          .toString("latin1")
          .replaceAll("guide", "gu\u00ffde"),
        "latin1"
      ),
      "gu\ufffdde.md: is no text in UTF-8"
    ],
    [
      "two sizes without compression",
      handMade([{ ...guide, local: { size: 9 }, listed: { size: 9 } }]),
      ": is not a sound ZIP archive: compressed/uncompressed size mismatch for stored file: 8 != 9"
    ],
    [
      "a stream of another file on Windows",
      handMade([{ ...guide, name: "guide.md:evil" }]),
      "guide.md:evil: has a character that Windows doesn't allow in a name"
    ],
    [
      "bytes before the first entry",
      handMade([guide], { prefix: Buffer.from("#!/bin/sh\n") }),
      ": has bytes that belong to no entry, before guide.md"
    ],
    [
      "bytes before the directory",
      handMade([guide], { beforeDirectory: Buffer.from("x") }),
      ": has bytes that belong to no entry, before the directory"
    ],
    [
      "bytes after the directory",
      handMade([guide], {
        end: (...facts) =>
          Buffer.concat([Buffer.from("x"), endRecord(...(facts.slice(0, 3) as [number, number, number]))])
      }),
      ": has bytes that belong to no entry, before the end record"
    ],
    [
      "an entry in another one's data",
      handMade([
        { ...guide, content: Buffer.concat([inner, Buffer.from("rm -rf")]) },
        { name: "evil.sh", content: "rm -rf", method: 0, offset: 30 + "guide.md".length }
      ]),
      ": has parts that overlap, before evil.sh"
    ],
    [
      "more entries in the directory than it counts",
      handMade([{ ...guide, name: "a.md" }, guide], { end: (_, bytes, start) => endRecord(1, bytes, start) }),
      ": has bytes that belong to no entry, before the directory"
    ],
    [
      "another method",
      handMade([{ ...guide, local: { method: 8 } }]),
      "guide.md: differs in its local header: compression"
    ],
    [
      "another checksum",
      handMade([{ ...guide, local: { crc: 7 } }]),
      "guide.md: differs in its local header: checksum"
    ],
    [
      "the wrong checksum in both",
      handMade([{ ...guide, local: { crc: 7 }, listed: { crc: 7 } }]),
      "guide.md: can't be unpacked: it has another checksum"
    ],
    [
      "encrypted in one of them",
      handMade([{ ...guide, local: { flags: 1 } }]),
      "guide.md: differs in its local header: flags"
    ],
    [
      "sizes after the data in one of them",
      handMade([{ ...guide, local: { flags: sizesAfterData } }]),
      "guide.md: differs in its local header: flags"
    ],
    [
      "other sizes after the data",
      handMade([
        streamed({ name: "guide.md" }, ({ size, ...sizes }) => signed({ ...sizes, size: size + 1 }))
      ]),
      "guide.md: has other sizes after its data"
    ],
    [
      "a name in Unicode in one of them",
      handMade([{ ...guide, local: { extra: unicodeName("guide.md", "evil.sh") } }]),
      "guide.md: differs in its local header: name"
    ],
    [
      "a name in Unicode over one that leaves the folder",
      handMade([{ ...guide, name: "../evil.sh", extra: unicodeName("../evil.sh", "guide.md") }]),
      'guide.md: must be a relative path without .., backslashes and drive letters\nguide.md: has another name without Unicode: "../evil.sh"'
    ],
    [
      "a name in Unicode over one that is taken",
      handMade([guide, { ...guide, extra: unicodeName("guide.md", "other.md") }]),
      'other.md: has another name without Unicode: "guide.md"\nother.md: occurs twice'
    ],
    [
      "bytes behind packed ones",
      handMade([{ name: "guide.md", content: "A guide.", data: Buffer.concat([packed, inner]) }]),
      "guide.md: can't be unpacked: it has bytes after its packed data"
    ],
    [
      "headers in data whose length follows it",
      handMade([streamed({ ...guide, content: Buffer.concat([Buffer.alloc(100), inner]) })]),
      "guide.md: can't be unpacked: its length follows its data, which looks as if it ended sooner"
    ],
    [
      "a folder with bytes",
      handMade([{ ...guide, name: "docs/" }, guide]),
      "docs/: is a folder with bytes of its own"
    ],
    [
      "two end records that differ",
      handMade([guide], {
        end: (count, bytes, start, at) =>
          Buffer.concat([largeEndRecords(count, bytes, start, at), endRecord(count, bytes, 0)])
      }),
      ": its two end records contradict each other, or have bytes between them"
    ],
    [
      "bytes between two end records",
      handMade([guide], {
        end: (count, bytes, start, at) =>
          Buffer.concat([
            largeEndRecords(count, bytes, start, at).subarray(0, 56),
            Buffer.from("x"),
            largeEndRecords(count, bytes, start, at).subarray(56),
            endRecord(count, bytes, start)
          ])
      }),
      ": its two end records contradict each other, or have bytes between them"
    ]
  ])("%s", async (_, bytes, fault) => {
    expect(await faultsOf(bytes)).toBe(fault)
  })

  it("bytes after the end, also those of another archive's end", async () => {
    const bytes = handMade([guide])
    expect(await faultsOf(Buffer.concat([bytes, Buffer.from("x")]))).toMatch(/^: is not a sound ZIP archive/)
    const second = handMade([{ ...guide, name: "evil.sh" }])
    const nested = handMade([guide], {
      end: (count, length, start) =>
        Buffer.concat([endRecord(count, length, start).subarray(0, 20), u16(second.length), second])
    })
    expect(await faultsOf(nested)).not.toBe("")
  })
})
