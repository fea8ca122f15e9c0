import { Effect, Layer, Schema } from "effect"
import { HttpApiEndpoint, HttpApiSchema, OpenApi } from "effect/http-api"
import { DownloadParams, DownloadQuery } from "../goods/Vault.ts"
import type { FreeAccess } from "../../toll/signin/FreeAccess.ts"
import type { FileResponse } from "../../toll/request/TollRequest.ts"
import type { OpenedDownload } from "../vault/PaidDownloads.ts"
import { Vault } from "../vault/Vault.ts"
import { type Operation, operationLayer } from "../../operations/Operation.ts"
import { OperationSettings } from "../../operations/OperationSettings.ts"
import { commonErrors, failure, fixedPrice } from "../../operations/RouteParts.ts"
import { vaultDownloadNames } from "./OtherNames.ts"
import { ShopSettings } from "./ShopSettings.ts"

/** A ZIP archive. */
const ZipArchive = Schema.Uint8Array.pipe(HttpApiSchema.asUint8Array({ contentType: "application/zip" }))

/** The contract of `vault/download`: path, input, responses and documentation. */
export const endpoint = HttpApiEndpoint.get("vaultDownload", "/x402/vault/download/:purchaseId", {
  params: DownloadParams,
  query: DownloadQuery,
  success: ZipArchive,
  error: [...commonErrors, failure(403), failure(404), failure(416)]
}).annotateMerge(
  OpenApi.annotations({
    summary: "Download a purchased vault item",
    description:
      "Returns the purchased asset as a ZIP archive. Each call is paid separately from the purchase. An interrupted download resumes with the same payment and Range."
  })
)

/** An archive without files: only its end record. */
const emptyArchive = Uint8Array.from([0x50, 0x4b, 5, 6, ...Array<number>(18).fill(0)])

export const example = {
  input: {
    purchaseId: "9d1f4f52-5a0c-4f6f-8c1e-6f1f0a7b2c3d",
    downloadToken: "the secret of this purchase"
  },
  output: emptyArchive
}

const encoded = (name: string): string =>
  encodeURIComponent(name).replace(/['()*]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`)

/**
 * The archive's file name (RFC 6266): in characters that are safe in headers and file systems, and where those replace
 * others, in full.
 */
export const attachmentOf = (slug: string): string => {
  const plain = slug.replace(/[^A-Za-z0-9._-]/g, "_")
  const full = slug.toWellFormed().replace(/[\p{Cc}\p{Cf}/\\]/gu, "_")
  return `attachment; filename="${plain}.zip"${plain === slug ? "" : `; filename*=UTF-8''${encoded(full)}.zip`}`
}

type Input = typeof DownloadParams.Type & typeof DownloadQuery.Type

const responseOf = ({
  file,
  reference,
  slug
}: Pick<OpenedDownload, "file" | "reference" | "slug">): FileResponse => ({
  status: 200,
  contentType: "application/zip",
  headers: { "content-disposition": attachmentOf(slug) },
  body: { _tag: "Bytes", reference, content: file }
})

/** `GET /x402/vault/download/:purchaseId`: the archive of a purchased item. */
export const layer = operationLayer(
  Effect.gen(function* () {
    const vault = yield* Vault
    const { responseLifetimeMillis } = yield* OperationSettings
    const { prices, settlement } = yield* ShopSettings
    const { freeDownloads } = vault
    const freeAccess: FreeAccess<Input> | undefined = freeDownloads && {
      statement: "Sign in to download this purchase again, free of charge.",
      holding: freeDownloads.holding,
      open: (download, signIn) =>
        Effect.map(freeDownloads.open(download, signIn), (opened) =>
          typeof opened === "string"
            ? opened
            : { id: opened.purchaseId, response: responseOf(opened), redeem: opened.redeem }
        )
    }
    return {
      endpoint,
      documents: {
        description: "Download of a purchased vault item as a ZIP archive",
        mimeType: "application/zip",
        example,
        errors: {
          403: "The download token is not that of the purchase, or it can't be downloaded any more. Nothing is charged.",
          404: "There is no such purchase. Nothing is charged."
        }
      },
      input: { otherNames: vaultDownloadNames },
      settlement: { beforeWork: settlement.vaultDownload === "before-work" },
      response: { replayMillis: responseLifetimeMillis, reopen: vault.open },
      price: fixedPrice(prices.vaultDownload),
      work: ({ downloadToken, purchaseId }, { key }) =>
        Effect.map(vault.download(purchaseId, downloadToken, key), ({ downloadId, ...opened }) => ({
          ...(downloadId === undefined ? {} : { subject: { kind: "download", id: downloadId } }),
          response: responseOf(opened)
        })),
      ...(freeAccess === undefined ? {} : { freeAccess })
    } satisfies Operation<Input>
  })
).pipe(Layer.provideMerge(Vault.layer))
