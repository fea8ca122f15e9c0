import { Effect, Layer, Schema } from "effect"
import { HttpApiEndpoint, HttpApiSchema, OpenApi } from "effect/http-api"
import type { ErrorCode } from "../../domain/ApiError.ts"
import { DownloadParams, DownloadQuery } from "../goods/VaultItem.ts"
import type { FreeAccess } from "../../toll/signin/FreeAccess.ts"
import type { FileResponse } from "../../toll/request/TollRequest.ts"
import type { OpenedDownload } from "../vault/PaidDownloads.ts"
import { upstreamCodes } from "../ports/ApiFailures.ts"
import { Vault } from "../vault/Vault.ts"
import { type Operation, operationLayer } from "../../operations/Operation.ts"
import { OperationSettings } from "../../operations/OperationSettings.ts"
import { commonErrors, failure, fixedPrice } from "../../operations/RouteParts.ts"
import { vaultDownloadNames } from "./OtherNames.ts"
import { publishedExample } from "./publishedExample.ts"
import { secondsRisk } from "../../runtime/secondsRisk.ts"
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
      "Returns the purchased asset as a ZIP archive. Each call is paid separately from the purchase. An interrupted download resumes free of charge: send the same payment with Range, such as bytes=1024-, and with If-Range and the ETag."
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

const fileHeaders = {
  "Content-Disposition": "The archive's file name.",
  ETag: "Names these bytes: send it as If-Range with a Range. Absent if the file's digest isn't known.",
  "Accept-Ranges": "bytes, if the download can be resumed."
}

const otherResponses = {
  206: {
    description: "The part of the archive that Range names, for a payment that has got it before.",
    headers: { ...fileHeaders, "Content-Range": "Which bytes these are, and of how many." },
    hasContent: true
  },
  302: {
    description: "Paid, as with 200: the archive is at Location. The same payment gets a new link.",
    headers: { Location: "Address of the archive; follow it at once." },
    hasContent: false
  }
}

const downloadCodes: ReadonlyArray<ErrorCode> = [
  {
    code: "DOWNLOAD_FORBIDDEN",
    status: 403,
    meaning:
      "downloadToken isn't that of the purchase, or a newer one has replaced it: the wallet that paid gets a new one at the purchase's status page, /token"
  },
  {
    code: "DOWNLOAD_EXPIRED",
    status: 403,
    meaning: "the time in which the purchase can be downloaded is over"
  },
  {
    code: "DOWNLOADS_USED_UP",
    status: 403,
    meaning: "the purchase has been downloaded as often as it may be"
  },
  { code: "PURCHASE_NOT_FOUND", status: 404, meaning: "no paid purchase has this id" },
  {
    code: "RANGE_NOT_SATISFIABLE",
    status: 416,
    meaning: "the file has no bytes in this Range; Content-Range has its size"
  }
]

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
    const { downloadableMillis, freeDownloads } = vault
    const risk = secondsRisk("vault.maxAgeMillis", downloadableMillis)
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
        follows: "vaultBuy",
        example: yield* publishedExample(endpoint, example),
        errors: [...downloadCodes, ...upstreamCodes("vault")],
        headers: fileHeaders,
        otherResponses,
        ...(risk === undefined ? {} : { risk })
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
