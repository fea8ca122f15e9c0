import { Context } from "effect"
import type { MailTemplates } from "./Templates.ts"

/** The host's own mail templates; default ones replace those that are missing or fail. Default: none. */
export const OwnTemplates = Context.Reference<Partial<MailTemplates>>("@till402/core/OwnTemplates", {
  defaultValue: () => ({})
})
