import { Effect } from "effect"
import { isHex, toHex } from "../domain/Hex.ts"
import { isPlayMoney } from "../domain/Network.ts"
import { authorizationHash } from "../fast/authorizationHash.ts"
import type { RefundWallet } from "../ports/RefundWallet.ts"
import { refundNonce, signRefund } from "../refunds/RefundAuthorization.ts"
import type { Risk } from "../runtime/secondsRisk.ts"
import { Chain } from "../toll/evidence/Chain.ts"
import { domainSeparator, judgeSignature } from "../toll/exact/Evm.ts"
import { type Check, checkOf } from "./Check.ts"
import type { ConfiguredSettings } from "./settings/Configuration.ts"
import type { PaidEvmNetwork, PaidNetwork } from "./settings/Networks.ts"

const timeoutMillis = 5_000

const checkBalance = (network: PaidNetwork, wallet: string, balance: bigint): Check => {
  const { asset, caip2, payTo, v1Name } = network
  const name = v1Name ?? caip2
  // What is paid fills it.
  const isPaidTo = wallet.toLowerCase() === payTo.toLowerCase()
  return {
    ...checkOf(
      "refund wallet",
      name,
      balance > 0n || isPaidTo
        ? undefined
        : {
            status: "warn",
            problem: `The refund wallet ${wallet} holds nothing on ${name}: refunds that are due can't be sent there`,
            cure: "Send it what the refunds of some days need"
          }
    ),
    balance: { network: caip2, asset, amountAtomic: String(balance) }
  }
}

/**
 * The checks of the wallets that pay refunds, by CAIP-2 network, and what they hold. None where it can't be read: the check
 * of the node says so.
 */
export const refundWalletChecks = Effect.fnUntraced(function* (
  { networks }: Pick<ConfiguredSettings, "networks">,
  wallets: ReadonlyMap<string, string>
) {
  const chain = yield* Chain
  const found = yield* Effect.forEach(
    networks.filter(({ caip2 }) => chain.canRead(caip2)),
    (network) => {
      const wallet = wallets.get(network.caip2)
      return wallet === undefined
        ? Effect.succeed([])
        : chain.balanceOf(network, wallet).pipe(
            Effect.timeoutOrElse({ duration: timeoutMillis, orElse: () => Effect.undefined }),
            Effect.map((balance) => (balance === undefined ? [] : [checkBalance(network, wallet, balance)]))
          )
    },
    { concurrency: "unbounded" }
  )
  return found.flat()
})

const maxSignatureBytes = 3_072

/** Whether what a wallet has signed would be refused; `undefined`: it didn't sign, or only a chain that can't be read knows. */
const isRefused = Effect.fnUntraced(function* (wallet: RefundWallet, network: PaidEvmNetwork) {
  const { address } = wallet
  // A refund of nothing, which has expired, to itself.
  const authorization = {
    from: address,
    to: address,
    value: "0",
    validAfter: "0",
    validBefore: "1",
    nonce: refundNonce("")
  }
  const signature = yield* Effect.orElseSucceed(signRefund(wallet, network, authorization), () => undefined)
  if (typeof signature !== "string" || !isHex(signature, 1, maxSignatureBytes)) return undefined
  const separator = domainSeparator(network)
  const verdict = yield* Effect.promise(async () => judgeSignature(separator, authorization, signature))
  if (verdict === "Ordinary" || verdict === "Malformed") return verdict === "Malformed"
  // The wallet may be a contract, such as a Safe.
  const chain = yield* Chain
  if (!chain.canRead(network.caip2)) return undefined
  const hash = toHex(authorizationHash(separator, authorization))
  return (yield* chain.acceptsSignature(network, address, hash, signature)) === false
})

/** Wallets that have signed: each is asked once, since health makes the checks anew all the time. */
const judged = new WeakMap<RefundWallet, boolean>()

/** Of a wallet that signs with another key than its address's, or in a form that no token takes, where real money is paid. */
export const refundWalletRisks = Effect.fnUntraced(function* (
  { networks }: Pick<ConfiguredSettings, "networks">,
  wallet: RefundWallet | undefined
) {
  const network = networks.find(({ caip2, family }) => family === "evm" && !isPlayMoney(caip2))
  if (wallet === undefined || network?.family !== "evm") return []
  const refused = judged.get(wallet) ?? (yield* isRefused(wallet, network))
  if (refused !== undefined) judged.set(wallet, refused)
  if (refused !== true) return []
  const risk: Risk = {
    setting: "refundWallet",
    problem: `What refundWallet signs isn't accepted of its address ${wallet.address}: no refund can be sent`,
    cure: "Give the address of the key that signs, and signatures of low s and v 27 or 28"
  }
  return [risk]
})
