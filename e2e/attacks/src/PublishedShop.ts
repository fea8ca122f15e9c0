import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fakeFacilitator } from "@till402/testing"
import { type ArchiveStorage, folderStorage, publish, type ZipLimits, vaultOver } from "@till402/vault"
import { onTestFinished } from "vitest"
import { type Call, downloadOf, jsonOf, vaultBuyOf, vaultItems } from "./Calls.ts"
import { openOurs } from "./Ours.ts"
import type { Visitor } from "./Visitor.ts"

/** A folder for one test. */
export const temporaryFolder = (): string => {
  const path = mkdtempSync(join(tmpdir(), "till402-attack-"))
  onTestFinished(() => rmSync(path, { recursive: true, force: true }))
  return path
}

const { downloads: _downloads, id: _id, ...listing } = vaultItems[0]!
export { listing }

/** A till whose goods are published, and how much of them was read. */
export const openPublishedShop = async () => {
  const files = folderStorage(temporaryFolder())
  let bytesRead = 0
  const counting: ArchiveStorage = {
    ...files,
    open: (archive, start, end) =>
      files.open(archive, start, end).pipeThrough(
        new TransformStream<Uint8Array, Uint8Array>(
          {
            transform: (chunk, controller) => {
              bytesRead += chunk.byteLength
              controller.enqueue(chunk)
            }
          },
          undefined,
          { highWaterMark: 0 }
        )
      )
  }
  const shop = await openOurs(fakeFacilitator(), { vault: vaultOver(counting) })
  const { vault } = shop.till
  return {
    ...shop,
    bytesRead: () => bytesRead,
    publish: (source: string, overrides: object = {}, limits: Partial<ZipLimits> = {}) =>
      publish(vault, counting, { source, limits, listing: { ...listing, ...overrides } })
  }
}

/** Buys the published item; returns the call that downloads it. */
export const buyDownload = async (visitor: Visitor): Promise<Call> => {
  const call = vaultBuyOf(listing.slug)
  const { downloadToken, purchaseId } = jsonOf(await visitor.presentAgain(call, await visitor.payFor(call)))
  return downloadOf(String(purchaseId), String(downloadToken))
}
