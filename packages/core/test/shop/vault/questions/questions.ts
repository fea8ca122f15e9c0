/*
 * Questions as agents and people ask them, each with the items that are right. Written before the ranking.
 */

export const questions: ReadonlyArray<readonly [question: string, right: ReadonlyArray<string>]> = [
  ["review pull requests", ["pull-request-reviewer"]],
  ["I need an agent that reviews my pull requests", ["pull-request-reviewer"]],
  ["write unit tests for my functions", ["unit-test-writer"]],
  ["how do I make slow SQL queries faster", ["sql-query-optimizer"]],
  ["something to generate documentation for an api", ["api-documentation-generator"]],
  ["kubernetes pods keep crashing", ["kubernetes-troubleshooter"]],
  ["migrate from javascript to typescript", ["typescript-migration-guide"]],
  ["audit a smart contract for security", ["solidity-contract-auditor", "security-audit-checklist"]],
  ["upgrade outdated dependencies automatically", ["dependency-upgrade-agent"]],
  ["refactoring legacy code", ["legacy-code-archaeologist"]],
  ["seo keyword research for blog articles", ["seo-content-strategist"]],
  ["cold emails that get a reply", ["cold-email-copywriter"]],
  ["plan social media posts", ["social-media-calendar"]],
  ["launching a product checklist", ["product-launch-checklist"]],
  ["analyze my competitors", ["competitor-analysis-report"]],
  ["run a/b tests to improve conversion", ["conversion-rate-experiments"]],
  ["grow newsletter subscribers", ["newsletter-growth-playbook"]],
  ["script for short videos", ["video-script-writer"]],
  ["process invoices automatically", ["invoice-processing-robot"]],
  ["clean up messy spreadsheets", ["spreadsheet-cleanup-agent"]],
  ["schedule meetings in different time zones", ["calendar-scheduling-assistant"]],
  ["scrape prices from websites", ["web-scraping-toolkit"]],
  ["summarize meeting notes", ["meeting-notes-recorder", "reading-summary-agent"]],
  ["transcribe audio recordings", ["voice-transcription-service"]],
  ["translating documents", ["document-translation-flow"]],
  ["write a resume for a job", ["resume-writer"]],
  ["practice for an interview", ["interview-coach", "system-design-interview-prep"]],
  ["negotiate a higher salary", ["salary-negotiation-script"]],
  ["preparing for system design interviews", ["system-design-interview-prep"]],
  ["I just became a manager and want to learn leadership", ["leadership-handbook-for-new-managers"]],
  ["swiftui animations", ["swiftui-animation-cookbook"]],
  ["push notifications on ios", ["ios-push-notification-guide"]],
  ["in app subscriptions with storekit", ["storekit-subscription-recipes"]],
  ["app crashes on the phone", ["mobile-crash-reporter"]],
  ["I need a productivity agent", ["task-prioritization-agent", "reading-summary-agent"]],
  ["note taking system", ["second-brain-notes-system", "zettelkasten-starter"]],
  ["weekly meal plans and groceries", ["meal-planning-assistant"]],
  ["learn spanish", ["language-learning-companion"]],
  ["prioritizing my tasks", ["task-prioritization-agent"]],
  ["plan a trip with bookings", ["travel-itinerary-planner"]]
]

/** Questions about nothing that the vault has. */
export const nonsense: ReadonlyArray<string> = [
  "blorf zint quax",
  "asdfghjkl",
  "xyzzy plugh",
  "the of and to",
  "qwertz 99871234",
  "flurbing wobbledorf"
]
