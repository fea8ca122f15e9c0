import { randomBytes } from "node:crypto"
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fakeFacilitator } from "@till402/testing"
import { expect } from "vitest"
import { namesByDirectory, namesByLocalHeaders, unpackCarelessly, writeArchive } from "../src/Archives.ts"
import { attack } from "../src/attack.ts"
import { freshAccount } from "../src/Attacker.ts"
import { calls, downloadOf, requestOf } from "../src/Calls.ts"
import { expectFailed, expectRefused } from "../src/expectations.ts"
import { type Goods, openGoods } from "../src/Goods.ts"
import { naiveVault, openNaiveVault } from "../src/NaiveVault.ts"
import { openOpensFirst, opensFirst } from "../src/OpensFirst.ts"
import { openOurs } from "../src/Ours.ts"
import { headerOf, type Payment } from "../src/Payments.ts"
import { buyDownload, openPublishedShop, temporaryFolder } from "../src/PublishedShop.ts"
import { type Server, visit, type Visitor } from "../src/Visitor.ts"

/*
 * Attacks on digital goods: on the files, on the archives that publishers upload, and on paid downloads.
 */

const facilitator = fakeFacilitator

/** A folder with the goods that two buyers have bought, and a secret beside them. */
const naiveGoods = () => {
  const home = temporaryFolder()
  const folder = join(home, "vault")
  mkdirSync(folder)
  writeFileSync(join(folder, "launch-plan"), "the goods of the first buyer")
  writeFileSync(join(folder, "brand-voice"), "the goods of the second buyer")
  writeFileSync(join(home, "secret"), "the key of the shop")
  return folder
}

const numbered = (number: number) => ({ path: `/x402/vault/download/${number}` })

/** A shop that sells an archive of this many bytes that don't compress. */
const openShop = async (bytes = 1_000) => {
  const shop = await openPublishedShop()
  const source = temporaryFolder()
  writeFileSync(join(source, "goods.bin"), randomBytes(bytes))
  const { archive } = await shop.publish(source)
  return { ...shop, archive, source }
}

const presentRange = (visitor: Visitor, call: { path: string }, payment: Payment, range: string) =>
  visitor.send(call, { "payment-signature": headerOf(payment), range })

attack("goods of others found by counting purchases", {
  on: naiveVault,
  lands: async () => {
    const visitor = visit(openNaiveVault(facilitator(), naiveGoods(), ["launch-plan", "brand-voice"]))
    const response = await visitor.present(numbered(1), await visitor.payFor(numbered(1)))
    expect(response.text).toBe("the goods of the second buyer")
  },
  fails: async () => {
    const shop = await openShop()
    const visitor = visit(shop)
    const own = await buyDownload(visitor)
    const [, id = "", token = ""] = /download\/([^?]+)\?downloadToken=(.+)$/.exec(own.path) ?? []
    const settled = (await shop.till.ledger.list({ limit: 100 })).length
    const wrong = [
      downloadOf(id, "1"),
      downloadOf(id, `${token.slice(0, -1)}${token.endsWith("A") ? "B" : "A"}`),
      downloadOf(`${id.slice(0, -1)}${id.endsWith("0") ? "1" : "0"}`, decodeURIComponent(token))
    ]
    for (const call of wrong) {
      const response = await visitor.present(call, await visitor.payFor(call))
      if (response.status === 403) expectFailed(response, 403, "DOWNLOAD_FORBIDDEN")
      else expectFailed(response, 404, "PURCHASE_NOT_FOUND")
    }
    expect(await shop.till.ledger.list({ limit: 100 })).toHaveLength(settled)
  }
})

attack("a path as the slug of an item", {
  on: naiveVault,
  lands: async () => {
    const visitor = visit(openNaiveVault(facilitator(), naiveGoods(), ["../secret"]))
    const response = await visitor.present(numbered(0), await visitor.payFor(numbered(0)))
    expect(response.text).toBe("the key of the shop")
  },
  fails: async () => {
    const shop = await openShop()
    for (const slug of ["../secret", "/etc/passwd", "a/../../secret", "..\\secret", "a\u0000b", "."])
      await expect(shop.publish(shop.source, { slug })).rejects.toThrow(/slug must/)
    // An item that was put without publishing has no file, whatever its slug.
    const [item] = (await shop.till.vault.list())!.items
    await shop.till.vault.put({ ...item!, id: "6f1c2f6e-3a51-4c52-9d53-0c1d2f7a9b99", slug: "../secret" })
    expect(await shop.till.vault.versions("../secret")).toEqual([])
  }
})

/** How often the vault opened an archive for 20 payments of as many keys, none of which settles. */
const openedFor = async (server: Server, { files }: Goods): Promise<number> => {
  const visitor = visit(server)
  for (let count = 0; count < 4; count++) {
    const payments = Array.from({ length: 5 }, () =>
      visitor.payFor(calls.vaultBuy, { account: freshAccount() })
    )
    const responses = await Promise.all(
      payments.map(async (payment) => visitor.present(calls.vaultBuy, await payment))
    )
    for (const { status } of responses) expect([402, 429]).toContain(status)
  }
  return files.open.calls.length
}

attack("payments for an item that don't settle, to have its archive opened again and again", {
  on: opensFirst,
  lands: async () => {
    const goods = openGoods()
    const server = openOpensFirst(facilitator().rejectsSettlement(), goods.files)
    expect(await openedFor(server, goods)).toBe(20)
  },
  fails: async () => {
    const goods = openGoods()
    const server = await openOurs(facilitator().rejectsSettlement(), {}, goods)
    expect(await openedFor(server, goods)).toBe(1)
  }
})

attack("an archive that writes outside of the folder it is unpacked in", {
  on: "a publisher that sells archives unread, and a careless program that unpacks them",
  lands: async () => {
    const home = temporaryFolder()
    const archive = await writeArchive(
      join(home, "goods.zip"),
      [{ name: "aaa/evil", content: "runs at login" }],
      { "aaa/evil": "../.evil" }
    )
    unpackCarelessly(archive, join(home, "downloads"))
    expect(readFileSync(join(home, ".evil"), "utf8")).toBe("runs at login")
  },
  fails: async () => {
    const shop = await openPublishedShop()
    const folder = temporaryFolder()
    const fine = { name: "README.md", content: "fine" }
    const evil = { name: "aaa/evil", content: "runs at login" }
    for (const name of ["../.evil", "/tmp/evi", "a/../../", "..\\.evil", "C:/evil1"]) {
      const archive = await writeArchive(join(folder, "goods.zip"), [fine, evil], { "aaa/evil": name })
      await expect(shop.publish(archive), name).rejects.toThrow(/must be a relative path/)
    }
    const link = { name: "link", content: "/etc", mode: 0o120777 }
    const linked = await writeArchive(join(folder, "linked.zip"), [fine, link])
    await expect(shop.publish(linked)).rejects.toThrow(/is a link/)
    expect(existsSync(join(folder, ".evil"))).toBe(false)
  }
})

/** An archive whose file has another name in front of it than in the directory. */
const writeTwoFaced = async (): Promise<string> => {
  const path = await writeArchive(join(temporaryFolder(), "two-faced.zip"), [
    { name: "guide.md", content: "a guide" }
  ])
  // The first occurrence is that of the local header.
  writeFileSync(path, readFileSync(path, "latin1").replace("guide.md", "../ev.sh"), "latin1")
  return path
}

attack("an archive that has other files for one program than for another", {
  on: "a publisher that checks the directory of an archive, and a program that unpacks while it downloads",
  lands: async () => {
    const archive = await writeTwoFaced()
    expect(namesByDirectory(archive)).toEqual(["guide.md"])
    expect(namesByLocalHeaders(archive)).toEqual(["../ev.sh"])
  },
  fails: async () => {
    const shop = await openPublishedShop()
    await expect(shop.publish(await writeTwoFaced())).rejects.toThrow(/differs in its local header: name/)
  }
})

const bombBytes = 5_000_000

attack("an archive that unpacks to a thousand times its size", {
  on: "a publisher that sells archives unread, and a careless program that unpacks them",
  lands: async () => {
    const home = temporaryFolder()
    const content = new Uint8Array(bombBytes)
    const bomb = await writeArchive(join(home, "bomb.zip"), [{ name: "bomb", content }])
    unpackCarelessly(bomb, home)
    expect(readFileSync(join(home, "bomb")).length / readFileSync(bomb).length).toBeGreaterThan(500)
  },
  fails: async () => {
    const shop = await openPublishedShop()
    const limits = { maxUnpackedBytes: bombBytes / 2, maxEntries: 100 }
    const content = new Uint8Array(bombBytes)
    const bomb = await writeArchive(join(temporaryFolder(), "bomb.zip"), [{ name: "bomb", content }])
    await expect(shop.publish(bomb, {}, limits)).rejects.toThrow(/unpacks to more than/)
    // The size that an entry states is in its description: 5,000,000 made 1.
    const stated = Buffer.alloc(4)
    stated.writeUInt32LE(bombBytes)
    const lies = { [stated.toString("latin1")]: "\u0001\u0000\u0000\u0000" }
    const lying = await writeArchive(join(temporaryFolder(), "lying.zip"), [{ name: "bomb", content }], lies)
    await expect(shop.publish(lying, {}, limits)).rejects.toThrow(/can't be unpacked/)
    const many = Array.from({ length: 101 }, (_, index) => ({ name: `file-${index}`, content: "x" }))
    const crowded = await writeArchive(join(temporaryFolder(), "many.zip"), many)
    await expect(shop.publish(crowded, {}, limits)).rejects.toThrow(/more than 100 entries/)
  }
})

attack("one payment that downloads its file again and again by ranges", {
  on: naiveVault,
  lands: async () => {
    const shop = openNaiveVault(facilitator(), naiveGoods(), ["launch-plan"])
    const visitor = visit(shop)
    const payment = await visitor.payFor(numbered(0))
    for (let round = 0; round < 6; round++)
      expect((await presentRange(visitor, numbered(0), payment, "bytes=1-")).status).toBe(206)
  },
  fails: async () => {
    const shop = await openShop(9_000_000)
    const visitor = visit(shop)
    const call = await buyDownload(visitor)
    const payment = await visitor.payFor(call)
    const statuses: Array<number> = []
    for (let round = 0; round < 6; round++)
      statuses.push((await presentRange(visitor, call, payment, "bytes=1-")).status)
    // The first response is always the whole file.
    expect(statuses.slice(0, 3)).toEqual([200, 206, 402])
    expect(statuses.slice(3).every((status) => status === 402)).toBe(true)
    // The sale reads how the file begins, and so does a part before it opens at its place.
    const beginnings = 2 * 64 * 1024
    expect(shop.bytesRead()).toBeLessThanOrEqual(2 * shop.archive.size + beginnings)
    // Hostile ranges end the response, not the server.
    const small = await openShop()
    const reader = visit(small)
    const file = await buyDownload(reader)
    for (const range of [
      "bytes=9999999-",
      "bytes=-0",
      "bytes=0-0,1-1,2-2",
      `bytes=${"9".repeat(400)}-`,
      "x"
    ]) {
      const other = await reader.payFor(file)
      await reader.present(file, other)
      const { status } = await presentRange(reader, file, other, range)
      expect([200, 402, 416], range).toContain(status)
    }
  }
})

attack("a payment for one purchase shown for the download of another", {
  on: naiveVault,
  lands: async () => {
    const visitor = visit(openNaiveVault(facilitator(), naiveGoods(), ["launch-plan", "brand-voice"]))
    const payment = await visitor.payFor(numbered(0))
    await visitor.present(numbered(0), payment)
    expect((await visitor.present(numbered(1), payment)).text).toBe("the goods of the second buyer")
  },
  fails: async () => {
    const shop = await openShop()
    const visitor = visit(shop)
    const first = await buyDownload(visitor)
    const second = await buyDownload(visitor)
    const payment = await visitor.payFor(first, { withoutResource: true })
    expect((await visitor.present(first, payment)).status).toBe(200)
    expectRefused(await visitor.present(second, payment), "payment_already_used")
    expectRefused(await presentRange(visitor, second, payment, "bytes=1-"), "payment_already_used")
  }
})

const readers = 100
const largeBytes = 400_000

attack("a hundred readers that pay and then don't read", {
  on: naiveVault,
  lands: async () => {
    const folder = naiveGoods()
    writeFileSync(join(folder, "large"), randomBytes(largeBytes))
    const shop = openNaiveVault(facilitator(), folder, ["large"])
    const visitor = visit(shop)
    const payment = await visitor.payFor(numbered(0))
    const header = { "payment-signature": headerOf(payment) }
    const open = () => shop.fetch(requestOf(numbered(0), header))
    await open()
    await Promise.all(Array.from({ length: readers - 1 }, open))
    // Each of them holds the whole file in memory.
    expect(shop.bytesRead()).toBe(readers * largeBytes)
  },
  fails: async () => {
    const shop = await openShop(largeBytes)
    const visitor = visit(shop)
    const call = await buyDownload(visitor)
    const responses: Array<Response> = []
    for (let reader = 0; reader < readers; reader++) {
      const header = { "payment-signature": headerOf(await visitor.payFor(call)) }
      responses.push(await shop.fetch(requestOf(call, header)))
    }
    expect(responses.map(({ status }) => status)).toEqual(Array.from({ length: readers }, () => 200))
    await new Promise((resolve) => setImmediate(resolve))
    // At most two chunks of 128 KiB are read ahead for each.
    expect(shop.bytesRead()).toBeLessThanOrEqual(readers * 2 * 128 * 1024)
    await Promise.all(responses.map(({ body }) => body?.cancel()))
  }
})
