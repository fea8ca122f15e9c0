import type { VaultItem } from "@till402/core"

/**
 * One item per row: `id | slug | title | type | category | dollars | creator | creator type | downloads | description`.
 */
const rows = `
  69435a7b-0e1d-4bfd-b1c0-8275eee220f0 | pull-request-review | Pull Request Review | skill | development | 9 | Mara Lindqvist | person | 4218 | Reviews a diff the way a careful colleague does: purpose, tests, seams, then lines. With checklist and sample comments.
  9e0374a7-7847-400b-88d7-d36dc0fb1ace | csv-cleanup | CSV Clean-up | skill | automation | 7 | Tidy Data Works | company | 1873 | Turns messy CSV exports into one predictable file and reports every change. Comes with a script and a sample.
  601ad54f-e5ff-421d-9065-554a9f20e50d | launch-email-sequence | Launch E-mail Sequence | skill | marketing | 12 | Owen Achterberg | person | 2640 | Five mails from first hint to last call, in the sender's own voice, with subject lines to test.
  134dbd09-737d-4471-8541-324362c02276 | meeting-notes-to-actions | Meeting Notes to Actions | skill | productivity | 5 | Quiet Hours Studio | company | 6127 | Makes decisions, owners and dates out of rough notes, and never guesses an owner.
  e74f22fb-b829-4e8b-98e2-d9ea9ed4cda3 | resume-tailoring | Résumé Tailoring | skill | career | 8 | Priya Raman | person | 3395 | Fits a résumé to one posting without inventing anything, and prepares for the question that will hurt.
  2daa93a2-9b51-4aca-b402-909fe4e2dbc3 | app-store-release | App Store Release | skill | ios | 15 | Nachtigall Apps | company | 1208 | From feature complete to released: checks before upload, review notes and a phased release.
  b5bef807-3f35-470a-b2f7-3ee87caa1f61 | postgres-index-field-guide | PostgreSQL Index Field Guide | knowledge | development | 19 | Tomasz Wrona | person | 2951 | Which index for which question, how to read a plan in five steps, and queries that find dead weight.
  7bba864f-2c34-44ba-a46a-989f916b3fd0 | swift-concurrency-notes | Swift Concurrency Notes | knowledge | ios | 24 | Nachtigall Apps | company | 987 | The parts that bite: re-entrant actors, cancellation, continuations, and a path to strict checking.
  302748f4-f914-4f58-a16c-5a89e9063482 | pricing-page-patterns | Pricing Page Patterns | knowledge | marketing | 14 | Owen Achterberg | person | 1544 | What recurs on pricing pages that convert, when to leave it out, and an audit for fifteen minutes.
  9d4b5e15-cf07-409e-9d77-021026090e2e | salary-negotiation-notes | Salary Negotiation Notes | knowledge | career | 11 | Priya Raman | person | 5082 | What to prepare, what to say when asked for a number, and scripts for the awkward moments.
  40f31f3f-1945-4d82-946d-77f0bcb38da3 | webhook-reliability-handbook | Webhook Reliability Handbook | knowledge | automation | 49 | Relay & Sons | company | 764 | Send at least once, receive idempotently: both ends of a webhook, with signature check, table and schema.
  64bccf46-c5a7-47df-ba9c-74462d796738 | blunt-copy-editor | The Blunt Copy Editor | persona | marketing | 4 | Quiet Hours Studio | company | 3710 | Cuts a third, trades claims for facts and keeps your one odd word. Kind to people, hard on sentences.
  7de0c311-3af4-489b-bb2c-210280a96ec5 | mock-interviewer | The Mock Interviewer | persona | career | 6 | Priya Raman | person | 2266 | Plays the hiring manager, asks where the answer was thinnest, then shows you the scorecard.
  6731b0db-ed4a-42a6-a7fa-6a808340bffe | weekly-review-coach | The Weekly Review Coach | persona | productivity | 1 | Quiet Hours Studio | company | 8841 | Twenty minutes, five questions, one thing for next week. Unimpressed by busyness.
  1dbbfefe-c197-4c4d-85a4-a042434bac81 | patient-code-mentor | The Patient Code Mentor | persona | development | 10 | Mara Lindqvist | person | 4405 | Teaches with the smallest help that moves you on: a question, an experiment, a concept, only then the code.
  c4f0a6de-58a3-4f6c-9d0e-2b7c1e93a574 | inbox-triage-rules | Inbox Triage Rules | skill | automation | 13 | Relay & Sons | company | 1490 | Sorts an inbox by rules you can read, drafts the short replies, and never sends or deletes.`

const item = (row: string): VaultItem => {
  const [id, slug, title, productType, category, dollars, creator, creatorType, downloads, description] = row
    .split("|")
    .map((cell) => cell.trim())
  if (description === undefined) throw new RangeError(`not a row of the vault: ${JSON.stringify(row)}`)
  return {
    id: id!,
    slug: slug!,
    title: title!,
    productType: productType as VaultItem["productType"],
    cardDescription: description,
    price: Number(dollars),
    category: category as VaultItem["category"],
    creator: { name: creator!, type: creatorType! },
    downloads: Number(downloads),
    coverImageUrl: `https://covers.vault.example/${slug}.png`
  }
}

/** The items of the sample vault; each slug is a folder of `vault/`. */
export const vaultItems: ReadonlyArray<VaultItem> = rows
  .split("\n")
  .filter((row) => row.trim() !== "")
  .map(item)
