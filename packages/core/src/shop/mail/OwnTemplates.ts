import { Context } from "effect"
import type { MailedContact, MailTemplates } from "./Templates.ts"

/** The host's own mail templates; default ones replace those that are missing or fail. Default: none. */
export const OwnTemplates = Context.Reference<Partial<MailTemplates>>("@till402/core/OwnTemplates", {
  defaultValue: () => ({})
})

/** What every mail names, besides its own facts. */
export const MailContact = Context.Reference<MailedContact>("@till402/core/MailContact", {
  defaultValue: () => ({})
})
