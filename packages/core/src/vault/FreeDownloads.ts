import { Clock, Effect } from "effect"
import { type ApiFailure, downloadExpired, downloadsUsedUp, storeFailure } from "../domain/ApiFailure.ts"
import type { StoreError } from "../domain/Errors.ts"
import { isSolana } from "../domain/Network.ts"
import { type VaultFile, VaultFiles } from "../ports/VaultFiles.ts"
import { VaultItems } from "../ports/VaultItems.ts"
import { type Redemption, type VaultPurchase, VaultPurchases } from "../ports/VaultPurchases.ts"
import { equalInConstantTime, Secrets } from "../runtime/Secrets.ts"
import { payerOfKey } from "../toll/ChargeKey.ts"
import type { SignIn } from "../toll/signin/FreeAccess.ts"
import { referenceOf } from "./DownloadReference.ts"
import { downloadTokenOf } from "./DownloadToken.ts"

const dayMillis = 86_400_000
/** The bytes of a purchase's free downloads in 24 hours: its file three times, and at least as many as cost next to nothing. */
const filesPerDay = 3
const leastBytesPerDay = 16 * 2 ** 20
/** A download counts as at least this many bytes, so that a purchase has few records. */
const leastBytes = 64 * 1024

/** A file that is delivered once its proof is redeemed. */
export interface OpenedFreely {
  readonly purchaseId: string
  readonly slug: string
  readonly reference: string
  readonly file: VaultFile
  /** Uses the proof up for this many bytes; `undefined`: for a file of unknown length, once a day. */
  readonly redeem: (bytes: number | undefined) => Effect.Effect<Redemption, ApiFailure>
}

/** Whether the wallet of a sign-in is the one that has paid for a purchase. */
const hasPaid = Effect.fnUntraced(function* ({ chargeKey }: VaultPurchase, signIn: SignIn) {
  const paid = payerOfKey(chargeKey)
  if (paid === undefined || isSolana(paid.network) !== isSolana(signIn.network)) return false
  // On Solana, letter case distinguishes addresses.
  const address = isSolana(paid.network) ? signIn.address : signIn.address.toLowerCase()
  return address === paid.payer && (yield* signIn.isSigned(paid.network))
})

/**
 * Opens the newest version of a granted purchase's file for the wallet that paid for it and the holder of its token.
 * Returns `undefined` for anyone else, and for a purchase that doesn't exist.
 */
export const makeFreeDownloads = Effect.gen(function* () {
  const items = yield* VaultItems
  const purchases = yield* VaultPurchases
  const files = yield* VaultFiles
  const secrets = yield* Secrets
  const store = <A>(effect: Effect.Effect<A, StoreError>) => Effect.mapError(effect, storeFailure)

  const redeemer = ({ id, slug }: VaultPurchase, { size }: VaultFile, nonce: string) =>
    Effect.fnUntraced(function* (bytes: number | undefined): Effect.fn.Return<Redemption, ApiFailure> {
      const atMillis = yield* Clock.currentTimeMillis
      const maxBytes = Math.max(filesPerDay * (size ?? 0), leastBytesPerDay)
      const counted = bytes === undefined ? maxBytes : Math.max(bytes, leastBytes)
      const download = { purchaseId: id, nonce, bytes: counted, atMillis }
      const outcome = yield* store(
        purchases.redeem(download, { sinceMillis: atMillis - dayMillis, maxBytes })
      )
      if (outcome !== "Redeemed") return outcome
      const { maxDownloads } = files
      const isAllowed =
        maxDownloads === undefined ||
        (yield* store(purchases.countDownload(id, `sign-in:${nonce}`, maxDownloads)))
      if (!isAllowed) return yield* downloadsUsedUp
      yield* store(items.countDownload(slug))
      return outcome
    })

  return (open: (reference: string) => Effect.Effect<VaultFile, ApiFailure>) =>
    Effect.fn("Vault.freeDownload")(function* (
      purchaseId: string,
      downloadToken: string,
      signIn: SignIn
    ): Effect.fn.Return<OpenedFreely | undefined, ApiFailure> {
      const purchase = yield* store(purchases.find(purchaseId.toLowerCase()))
      if (purchase?.status !== "granted") return undefined
      const due = downloadTokenOf(secrets, purchase.id, downloadToken.split(".")[0]!)
      if (due === undefined || !equalInConstantTime(due, downloadToken)) return undefined
      if (!(yield* hasPaid(purchase, signIn))) return undefined
      const ageMillis = (yield* Clock.currentTimeMillis) - purchase.createdAtMillis
      if (ageMillis > (files.maxAgeMillis ?? Infinity)) return yield* downloadExpired
      const { id, slug } = purchase
      const [archive] = yield* store(items.versions(slug, 1))
      const reference = referenceOf(slug, archive)
      const file = yield* open(reference)
      return { purchaseId: id, slug, reference, file, redeem: redeemer(purchase, file, signIn.nonce) }
    })
})
