import type { Parcel } from "../goods/Order.ts"
import {
  aside,
  code,
  httpsUrl,
  lines,
  link,
  type Markup,
  markup,
  nothing,
  oneLine,
  page,
  paragraph,
  picture,
  strong
} from "./Html.ts"

/*
 * The contents of a till's mails, with default or host templates.
 */

/** Amounts in decimal text, `"19.99"`, and the ISO 4217 code of their currency. */
export interface MailedPrice {
  readonly subtotal: string
  readonly tax: string
  readonly shipping: string
  /** The host's own margin, if any. */
  readonly fee?: string
  /** The paid amount, including the fee. */
  readonly total: string
  readonly currency: string
}

/** Where a buyer turns to. */
export interface MailedContact {
  /** Who answers questions, as the host's option `support` says. */
  readonly support?: string
  /** The status page of what the mail is about, which asks for the signature of the wallet that paid. */
  readonly statusUrl?: string
}

/** An order was paid and is being processed. */
export interface OrderConfirmed extends MailedContact {
  readonly _tag: "OrderConfirmed"
  readonly orderId: string
  readonly product: {
    readonly title: string
    /** Shown if it is an https URL. */
    readonly imageUrl?: string
  }
  readonly lines: MailedPrice
  /** Only as much of the address as a buyer needs to recognize it. */
  readonly shipTo: { readonly name: string; readonly city: string; readonly country: string }
}

/** An order is on its way, in one parcel or several. */
export interface OrderShipped extends MailedContact {
  readonly _tag: "OrderShipped"
  readonly orderId: string
  readonly product: { readonly title: string }
  readonly parcels: ReadonlyArray<Parcel>
}

/** An order failed or was cancelled. */
export interface OrderFailed extends MailedContact {
  readonly _tag: "OrderFailed"
  readonly orderId: string
  readonly product: { readonly title: string }
  /** The amount that will be paid back, as decimal text; left out where nothing was paid. */
  readonly amount?: string
  readonly currency: string
  /** Upstream's reason, a word or a sentence: `insufficient_stock`. */
  readonly reason?: string
}

/** An order failed and was refunded. */
export interface OrderRefunded extends MailedContact {
  readonly _tag: "OrderRefunded"
  readonly orderId: string
  readonly product: { readonly title: string }
  /** The refunded amount, as decimal text. */
  readonly amount: string
  readonly currency: string
  /** Upstream's reason, a word or a sentence: `insufficient_stock`. */
  readonly reason?: string
  /** Hash of the refund's transaction. */
  readonly transaction?: string
}

/** A vault item was bought. */
export interface VaultPurchased extends MailedContact {
  readonly _tag: "VaultPurchased"
  readonly purchaseId: string
  readonly title: string
  /** A secret: anyone who has it can download the item. */
  readonly downloadToken: string
}

/** The facts of a mail: plain data, amounts as decimal text. */
export type MailFacts = OrderConfirmed | OrderShipped | OrderFailed | OrderRefunded | VaultPurchased

export interface MailContent {
  /** One line of up to 150 characters; control characters become spaces. */
  readonly subject: string
  /** For readers without HTML: the same facts. */
  readonly text: string
  /** A complete document. Data from other sources must be escaped. */
  readonly html: string
}

/** A template for each kind of mail: a pure function from facts to content. */
export type MailTemplates = {
  readonly [Tag in MailFacts["_tag"]]: (facts: Extract<MailFacts, { readonly _tag: Tag }>) => MailContent
}

const maxTitleLength = 300
const maxWordLength = 200
/** Far longer than a base64url HMAC. */
const maxTokenLength = 1_000
const maxParcels = 50

const title = (text: string): string => oneLine(text, maxTitleLength) || "(untitled)"
const word = (text: string): string => oneLine(text, maxWordLength)

/** Joins paragraphs of text, skipping missing ones. */
const textOf = (...paragraphs: ReadonlyArray<string | undefined>): string =>
  `${paragraphs.filter((each) => each !== undefined).join("\n\n")}\n`

/** The last lines of a mail: what it is about, and who answers questions. */
const ending = (about: string, { statusUrl, support = "" }: MailedContact) => {
  const shown = word(support)
  const contactUrl = httpsUrl(shown)
  const contact = contactUrl === undefined ? markup`${shown}` : link(contactUrl, contactUrl)
  const page = httpsUrl(statusUrl)
  const status = "Status, by a signature of the wallet that paid"
  return {
    text: textOf(
      about,
      page === undefined ? undefined : `${status}: ${page}`,
      shown === "" ? undefined : `Questions? ${shown}`
    ).trimEnd(),
    markup: markup`${[
      page === undefined ? nothing : aside(markup`${status}: ${link(page, page)}`),
      shown === "" ? nothing : aside(markup`Questions? ${contact}`)
    ]}`
  }
}

const orderConfirmed = (facts: OrderConfirmed): MailContent => {
  const product = title(facts.product.title)
  const orderId = word(facts.orderId)
  const end = ending(`Order: ${orderId}`, facts)
  const currency = word(facts.lines.currency)
  const { fee, shipping, subtotal, tax, total } = facts.lines
  const parts = [
    ["Items", subtotal],
    ["Tax", tax],
    ["Shipping", shipping],
    ...(fee === undefined ? [] : [["Service fee", fee]])
  ].map(([name, amount]) => `${name}: ${word(amount!)} ${currency}`)
  const paid = `Total paid: ${word(total)} ${currency}`
  const { city, country, name } = facts.shipTo
  const shipTo = `It goes to ${word(name)}, ${word(city)}, ${word(country).toUpperCase()}.`
  const image = httpsUrl(facts.product.imageUrl)
  const next = "You get another mail with the tracking number when it ships."
  return {
    subject: `Order confirmed: ${product}`,
    text: textOf(
      "Thank you for your order. It is paid and being processed.",
      product,
      [...parts, paid].join("\n"),
      shipTo,
      next,
      end.text
    ),
    html: page("Thank you for your order", [
      paragraph("It is paid and being processed."),
      image === undefined ? nothing : picture(image),
      paragraph(strong(product)),
      lines([...parts.map((part) => markup`${part}`), strong(paid)]),
      paragraph(shipTo),
      paragraph(next),
      aside(markup`Order: ${code(orderId)}`),
      end.markup
    ])
  }
}

const parcelText = ({ carrier, trackingNumber, trackingUrl }: Parcel): string => {
  const url = httpsUrl(trackingUrl)
  return [
    `Tracking number: ${word(trackingNumber)}`,
    ...(carrier === undefined ? [] : [`Carrier: ${word(carrier)}`]),
    ...(url === undefined ? [] : [`Follow it: ${url}`])
  ].join("\n")
}

const parcelMarkup = ({ carrier, trackingNumber, trackingUrl }: Parcel): Markup => {
  const url = httpsUrl(trackingUrl)
  return lines([
    markup`Tracking number: ${code(word(trackingNumber))}`,
    ...(carrier === undefined ? [] : [markup`Carrier: ${word(carrier)}`]),
    ...(url === undefined ? [] : [link(url, "Follow this parcel")])
  ])
}

const orderShipped = (facts: OrderShipped): MailContent => {
  const product = title(facts.product.title)
  const orderId = word(facts.orderId)
  const end = ending(`Order: ${orderId}`, facts)
  const parcels = facts.parcels.slice(0, maxParcels)
  const untold = facts.parcels.length - parcels.length
  const how =
    facts.parcels.length === 0
      ? "The shop provided no tracking number."
      : facts.parcels.length === 1
        ? "It comes in one parcel."
        : `It comes in ${facts.parcels.length} parcels.`
  const more = untold === 0 ? undefined : `And ${untold} more.`
  return {
    subject: `Order shipped: ${product}`,
    text: textOf("Your order is on its way.", product, how, ...parcels.map(parcelText), more, end.text),
    html: page("Your order is on its way", [
      paragraph(strong(product)),
      paragraph(how),
      ...parcels.map(parcelMarkup),
      more === undefined ? nothing : paragraph(more),
      aside(markup`Order: ${code(orderId)}`),
      end.markup
    ])
  }
}

/** Turns a code into words (`insufficient_stock`); leaves a sentence unchanged. */
const reasonOf = (reason: string): string => {
  const shown = word(reason)
  return /^[A-Za-z0-9_]+$/.test(shown) ? shown.replaceAll("_", " ").toLowerCase().trim() : shown
}

const sorry = "We are sorry: your order could not be fulfilled."

const reasonLine = (reason: string | undefined): string | undefined => {
  const shown = reason === undefined ? "" : reasonOf(reason)
  return shown === "" ? undefined : `Reason: ${shown}`
}

const orderFailed = (facts: OrderFailed): MailContent => {
  const product = title(facts.product.title)
  const orderId = word(facts.orderId)
  const end = ending(`Order: ${orderId}`, facts)
  const reason = reasonLine(facts.reason)
  const back =
    facts.amount === undefined
      ? undefined
      : `We pay back ${word(facts.amount)} ${word(facts.currency)}. You get another mail when it is sent.`
  return {
    subject: `Order failed: ${product}`,
    text: textOf(sorry, product, reason, back, end.text),
    html: page("Your order could not be fulfilled", [
      paragraph(sorry),
      paragraph(strong(product)),
      reason === undefined ? nothing : paragraph(reason),
      back === undefined ? nothing : paragraph(back),
      aside(markup`Order: ${code(orderId)}`),
      end.markup
    ])
  }
}

const orderRefunded = (facts: OrderRefunded): MailContent => {
  const product = title(facts.product.title)
  const orderId = word(facts.orderId)
  const end = ending(`Order: ${orderId}`, facts)
  const amount = `${word(facts.amount)} ${word(facts.currency)}`
  const reason = reasonLine(facts.reason)
  const transaction = facts.transaction === undefined ? "" : word(facts.transaction)
  const back = `We paid back ${amount}.`
  return {
    subject: `Order refunded: ${product}`,
    text: textOf(
      sorry,
      product,
      reason,
      back,
      transaction === "" ? undefined : `Transaction: ${transaction}`,
      end.text
    ),
    html: page("Your order was refunded", [
      paragraph(sorry),
      paragraph(strong(product)),
      reason === undefined ? nothing : paragraph(reason),
      paragraph(markup`We paid back <strong>${amount}</strong>.`),
      transaction === "" ? nothing : paragraph(markup`Transaction: ${code(transaction)}`),
      aside(markup`Order: ${code(orderId)}`),
      end.markup
    ])
  }
}

const vaultPurchased = (facts: VaultPurchased): MailContent => {
  const item = title(facts.title)
  const purchaseId = word(facts.purchaseId)
  const token = oneLine(facts.downloadToken, maxTokenLength)
  const thanks = "Thank you for your purchase. This is what you need to download it."
  const secret = "Keep the token to yourself: with it anyone can download the item."
  const end = ending(secret, facts)
  return {
    subject: `Your purchase: ${item}`,
    text: textOf(thanks, item, `Purchase: ${purchaseId}\nDownload token: ${token}`, end.text),
    html: page("Thank you for your purchase", [
      paragraph("This is what you need to download it."),
      paragraph(strong(item)),
      lines([markup`Purchase: ${code(purchaseId)}`, markup`Download token: ${code(token)}`]),
      aside(secret),
      end.markup
    ])
  }
}

/** The default templates, in English. */
export const defaultTemplates: MailTemplates = {
  OrderConfirmed: orderConfirmed,
  OrderShipped: orderShipped,
  OrderFailed: orderFailed,
  OrderRefunded: orderRefunded,
  VaultPurchased: vaultPurchased
}
