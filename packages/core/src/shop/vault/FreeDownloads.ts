import { Clock, Effect, type Scope } from "effect"
import type { ApiFailure } from "../../domain/ApiFailure.ts"
import { storeUnavailable } from "../ports/storeUnavailable.ts"
import { downloadExpired, downloadsUsedUp } from "../ports/ApiFailures.ts"
import type { StoreError } from "../../domain/Errors.ts"
import { type GuardedVaultFiles, guardedVaultFiles, type VaultFile } from "../ports/VaultFiles.ts"
import { VaultItems } from "../ports/VaultItems.ts"
import { type Redemption, type VaultPurchase, VaultPurchases } from "../ports/VaultPurchases.ts"
import { ExpiringMap } from "../../runtime/ExpiringMap.ts"
import { Identifiers } from "../../runtime/Identifiers.ts"
import { Secrets } from "../../runtime/Secrets.ts"
import type { Holding, NoAccess, SignIn } from "../../toll/signin/FreeAccess.ts"
import { isPayer } from "../../toll/signin/isPayer.ts"
import { challengeMillis } from "../../toll/signin/SignInChallenge.ts"
import { skewMillis } from "../../toll/signin/SignInProof.ts"
import { referenceOf } from "./DownloadReference.ts"
import { isDownloadToken, keyIdOfToken, numberOfToken } from "./DownloadToken.ts"

const dayMillis = 86_400_000
/** The bytes of a purchase's free downloads in 24 hours: its file three times, and at least as many as cost next to nothing. */
const filesPerDay = 3
const leastBytesPerDay = 16 * 2 ** 20
/** A download counts as at least this many bytes, so that a purchase has few records. */
const leastBytes = 64 * 1024
/** Proofs that were used here, for as long as they are valid: more than are judged in that time. */
const proofLimits = { capacity: 10_000, lifetimeMillis: challengeMillis + skewMillis }

/** A file that is delivered once its proof is redeemed. */
export interface OpenedFreely {
  readonly purchaseId: string
  readonly slug: string
  readonly reference: string
  readonly file: VaultFile
  /** Uses the proof up for this many bytes; `undefined`: for a file of unknown length, once a day. */
  readonly redeem: (bytes: number | undefined) => Effect.Effect<Redemption, ApiFailure>
}

/** A download as it is requested. */
interface ByToken {
  readonly purchaseId: string
  readonly downloadToken: string
}

/** Downloads for the wallet that paid, without another payment. */
export interface FreeDownloads {
  /**
   * What the holder of a token may try to open, also of one that a newer one has replaced. Not proven, if the token's key
   * is retired. Reads no store.
   */
  readonly holding: (download: ByToken) => Holding | undefined
  /**
   * Opens the newest version of a purchase's file for the wallet that paid for it, and grants a purchase whose payment
   * has settled and whose grant failed. Its caller is the token's holder, unless the purchase's key is retired. `NotTheirs`
   * is for any other wallet, for a token that has ended, and for a purchase that doesn't exist. Where downloads are limited
   * it is counted, and given back with the scope if the file isn't delivered.
   */
  readonly open: (
    download: ByToken,
    signIn: SignIn
  ) => Effect.Effect<OpenedFreely | NoAccess, ApiFailure, Scope.Scope>
}

/** A download by one proof. */
interface Attempt {
  readonly purchase: VaultPurchase
  readonly nonce: string
  /** Whether the proof can't be used again. */
  isUsed: boolean
  /** Whether the file is delivered. */
  isRedeemed: boolean
}

/** What the vault needs of its other parts. */
export interface FreeDownloadParts {
  readonly open: (reference: string) => Effect.Effect<VaultFile, ApiFailure>
  /** Grants a purchase whose payment has settled; whether it is granted now. */
  readonly ensureGranted: (purchase: VaultPurchase) => Effect.Effect<boolean, StoreError>
}

const store = <A, R>(effect: Effect.Effect<A, StoreError, R>) => Effect.catch(effect, storeUnavailable)

/** What the holder of a token may try to open. */
const holdingOf =
  (
    secrets: Secrets["Service"],
    { freeReaccess }: Pick<GuardedVaultFiles, "freeReaccess">
  ): FreeDownloads["holding"] =>
  ({ downloadToken, purchaseId }) => {
    const id = purchaseId.toLowerCase()
    if (freeReaccess === true && numberOfToken(secrets, id, downloadToken) !== undefined)
      return { id, isProven: true }
    return secrets.retiredKeyIds.has(keyIdOfToken(downloadToken)) ? { id, isProven: false } : undefined
  }

/** Free downloads of purchases by the wallets that paid for them. */
export const makeFreeDownloads = Effect.fnUntraced(function* ({ ensureGranted, open }: FreeDownloadParts) {
  const items = yield* VaultItems
  const purchases = yield* VaultPurchases
  const files = yield* guardedVaultFiles
  const secrets = yield* Secrets
  const nonces = new ExpiringMap<string, boolean>(proofLimits)

  /** Holds a proof in this process, so that copies of it open no file. Returns `undefined` for a copy. */
  const hold = (purchase: VaultPurchase, nonce: string) =>
    Effect.acquireRelease(
      Effect.map(Clock.currentTimeMillis, (nowMillis): Attempt | undefined => {
        if (nonces.get(nonce, nowMillis) === true) return undefined
        nonces.set(nonce, true, nowMillis)
        return { purchase, nonce, isUsed: false, isRedeemed: false }
      }),
      (attempt) =>
        Effect.map(Clock.currentTimeMillis, (nowMillis) => {
          if (attempt?.isUsed === false) nonces.set(nonce, false, nowMillis)
        })
    )

  /** Counts a download where the host limits them, until it turns out not to be delivered. */
  const count = Effect.fnUntraced(function* (attempt: Attempt) {
    const { maxDownloads } = files
    if (maxDownloads === undefined) return
    const { id } = attempt.purchase
    // Not the nonce: a copy of the proof in another process would take back what this one has counted.
    const key = `sign-in:${(yield* Identifiers).uuid()}`
    const isCounted = yield* Effect.acquireRelease(
      store(purchases.countDownload(id, key, maxDownloads)),
      () => (attempt.isRedeemed ? Effect.void : Effect.ignore(purchases.releaseDownload(id, key)))
    )
    if (!isCounted) return yield* downloadsUsedUp
  })

  const redeemer = (attempt: Attempt, { size }: VaultFile) =>
    Effect.fnUntraced(function* (bytes: number | undefined): Effect.fn.Return<Redemption, ApiFailure> {
      const { id, slug } = attempt.purchase
      const atMillis = yield* Clock.currentTimeMillis
      const maxBytes = Math.max(filesPerDay * (size ?? 0), leastBytesPerDay)
      const counted = bytes === undefined ? maxBytes : Math.max(bytes, leastBytes)
      const download = { purchaseId: id, nonce: attempt.nonce, bytes: counted, atMillis }
      const outcome = yield* store(
        purchases.redeem(download, { sinceMillis: atMillis - dayMillis, maxBytes })
      )
      attempt.isUsed = outcome !== "Spent"
      if (outcome !== "Redeemed") return outcome
      yield* store(items.countDownload(slug))
      attempt.isRedeemed = true
      return outcome
    })

  /** What needs no file is checked before it is opened, and nothing is granted before the wallet has proved itself. */
  const openFreely = Effect.fn("Vault.freeDownload")(function* (
    download: ByToken,
    signIn: SignIn
  ): Effect.fn.Return<OpenedFreely | NoAccess, ApiFailure, Scope.Scope> {
    const purchase = yield* store(purchases.find(download.purchaseId.toLowerCase()))
    if (purchase === undefined) return "NotTheirs"
    const isHolder = files.freeReaccess === true && isDownloadToken(secrets, purchase, download.downloadToken)
    if (!isHolder && !secrets.retiredKeyIds.has(purchase.keyId)) return "NotTheirs"
    if (!(yield* isPayer(purchase.chargeKey, signIn))) return "NotTheirs"
    if (!(yield* store(ensureGranted(purchase)))) return "NotTheirs"
    const ageMillis = (yield* Clock.currentTimeMillis) - purchase.createdAtMillis
    if (ageMillis > (files.maxAgeMillis ?? Infinity)) return yield* downloadExpired
    const attempt = yield* hold(purchase, signIn.nonce)
    if (attempt === undefined) return "Used"
    yield* count(attempt)
    const { id, slug } = purchase
    const [archive] = yield* store(items.versions(slug, 1))
    const reference = referenceOf(slug, archive)
    const file = yield* open(reference)
    return { purchaseId: id, slug, reference, file, redeem: redeemer(attempt, file) }
  })

  const free: FreeDownloads = { holding: holdingOf(secrets, files), open: openFreely }
  return free
})
