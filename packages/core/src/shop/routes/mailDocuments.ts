import type { OperationDocuments } from "../../operations/Operation.ts"

/** What the documents of a sale say about mails. `mails`: those that a mailer sends. */
export const mailDocuments = (hasMailer: boolean, mails: string): Pick<OperationDocuments, "note" | "risk"> =>
  hasMailer
    ? { note: mails }
    : {
        note: "No mail is sent: keep the response.",
        risk: {
          setting: "mailer",
          problem: "Buyers get no mail: one who loses the response has nothing",
          cure: "Give mailer. See docs/mail.md"
        }
      }
