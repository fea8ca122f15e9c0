import type { OperationDocuments } from "../../operations/Operation.ts"
import type { Subject } from "../../ports/Charges.ts"
import type { StatusPages } from "../../ports/StatusPages.ts"
import { type GeneralMarketplace, nameOf } from "../goods/ProductUrl.ts"

/** What the documents of a sale say about marketplace, countries and mails. */
export const saleDocuments = ({
  countries,
  hasMailer,
  mails,
  marketplace
}: {
  /** The general marketplace that is bought from, if it is known. */
  readonly marketplace?: GeneralMarketplace | undefined
  readonly hasMailer: boolean
  /** The mails that a mailer sends. */
  readonly mails: string
  /** The countries that are delivered to, if they are known. */
  readonly countries?: ReadonlyArray<string> | undefined
}): Pick<OperationDocuments, "note" | "risk"> => {
  const source = marketplace === undefined ? "" : `The general marketplace is ${nameOf(marketplace)}. `
  const served = `${source}${countries === undefined ? "" : `Delivers to ${countries.join(", ")}. `}`
  return hasMailer
    ? { note: `${served}${mails}` }
    : {
        note: `${served}No mail is sent: keep the response.`,
        risk: {
          setting: "mailer",
          problem: "Buyers get no mail: one who loses the response has nothing",
          cure: "Give mailer. See docs/mail.md"
        }
      }
}

/** The headers that name a sale's status page, where there is one. */
export const statusHeaders = (
  pages: Pick<StatusPages["Service"], "headersOf">,
  kind: Subject["kind"]
): Readonly<Record<string, string>> =>
  Object.keys(pages.headersOf({ kind, id: "any" })).length === 0
    ? {}
    : {
        Link: 'Address of the free status page, with rel="status".',
        "Status-Token": "Secret: send it to the status page in the header of this name."
      }
