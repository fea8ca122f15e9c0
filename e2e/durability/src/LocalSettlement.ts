import { dirname, join } from "node:path"
import type { FacilitatorClient } from "@till402/core"
import { localFacilitator } from "@till402/providers/facilitator"
import { type OpenJournals, postgresJournals, sqliteJournals } from "@till402/providers/journals"
import { solanaFacilitator } from "@till402/providers/solana-facilitator"
import { solanaSigner } from "@till402/providers/solana-refunds"
import { privateKeyToAccount } from "viem/accounts"
import type { Moment } from "./Moments.ts"
import type { Relayer, ServerSettings } from "./ServerSettings.ts"
import type { Notify } from "./Shop.ts"

/** Time after which a transaction that a killed server left is replaced. */
const replaceAfterMillis = 1_000
const pollMillis = 50

type Announce = (moment: Moment) => Promise<unknown>

/** Sends requests to a node, and announces each transaction before and after. */
const announcingFetch =
  (announce: Announce): typeof fetch =>
  async (input, init) => {
    const body = await new Response(init?.body).text()
    const isSend = /"(?:eth_sendRawTransaction|sendTransaction)"/.test(body)
    if (isSend) await announce("send")
    const response = await fetch(input, { ...init, body })
    if (isSend) await announce("sent")
    return response
  }

/** Announces each call of a facilitator before and after. */
const announcing = (
  { getSupported, settle, verify }: Required<FacilitatorClient>,
  announce: Announce
): FacilitatorClient => {
  const around = async <A>(before: Moment, call: () => Promise<A>, after: Moment): Promise<A> => {
    await announce(before)
    const result = await call()
    await announce(after)
    return result
  }
  return {
    getSupported,
    verify: (...payment) => around("verify", () => verify(...payment), "verified"),
    settle: (...payment) => around("settle", () => settle(...payment), "settled")
  }
}

/** In a file of their own, which no round deletes: the till's records and the journals fail apart. */
const openJournals = ({ storage }: ServerSettings): OpenJournals =>
  storage.kind === "sqlite"
    ? sqliteJournals(join(dirname(storage.filename), "journals.sqlite"))
    : postgresJournals(storage.url)

/** The facilitator in a server that settles by itself, with one name for all servers of a run. */
export const localSettlement = (
  settings: ServerSettings,
  relayer: Relayer,
  notify: Notify
): FacilitatorClient => {
  const announce: Announce = (moment) => notify("/moments", { moment })
  const { rpcUrl } = settings
  const journals = openJournals(settings)
  const options = { pollMillis, fetch: announcingFetch(announce) }
  const facilitator =
    relayer.rail === "evm"
      ? localFacilitator({
          ...options,
          account: privateKeyToAccount(relayer.privateKey),
          networks: [{ network: "base-sepolia", rpcUrl }],
          journal: journals.settlements,
          replaceAfterMillis
        })
      : solanaFacilitator({
          ...options,
          feePayer: solanaSigner(relayer.secretKey),
          rpcUrl,
          network: "solana-devnet",
          journal: journals.transfers
        })
  return announcing({ ...facilitator, ...facilitator.forTill("shop") }, announce)
}
