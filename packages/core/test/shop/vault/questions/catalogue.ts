import type { VaultItem } from "../../../../src/shop/goods/VaultItem.ts"

/*
 * A vault of 200 items, one a line: title | description. Written before the ranking of its search.
 */

const listings: Readonly<Record<VaultItem["category"], string>> = {
  development: `
Pull Request Reviewer | Reviews code changes, finds bugs and suggests clearer names before a human looks.
Unit Test Writer | Generates tests for functions that have none, with edge cases.
API Documentation Generator | Turns handlers and types into reference pages.
SQL Query Optimizer | Explains slow statements and proposes indexes.
Docker Compose Recipes | Ready files for databases, queues and web servers.
Kubernetes Troubleshooter | Diagnoses crashing pods, failed probes and stuck rollouts.
React Component Patterns | Hooks, forms and state that stay readable.
TypeScript Migration Guide | Moves a JavaScript code base to types, file by file.
Python Packaging Handbook | Wheels, virtual environments and publishing without pain.
Git History Surgeon | Rebases, splits and rescues commits safely.
Regex Explainer | Translates regular expressions to plain language.
GraphQL Schema Designer | Models types, pagination and errors for graph interfaces.
Rust Ownership Tutor | Borrowing and lifetimes explained with small programs.
Terraform Module Library | Networks, buckets and clusters as reusable infrastructure.
Security Audit Checklist | Finds injection, leaked secrets and weak sessions in web apps.
Dependency Upgrade Agent | Bumps packages, reads changelogs and fixes what breaks.
Postgres Backup Playbook | Snapshots, restores and point-in-time recovery drills.
Load Testing Scripts | Simulates thousands of users and charts the latency.
Error Log Analyst | Groups stack traces and names the likely cause.
Microservice Boundary Advisor | Decides where to split a monolith.
CSS Layout Cookbook | Grids and flexible boxes for common pages.
Accessibility Inspector | Checks contrast, labels and keyboard paths of a site.
Webhook Debugging Kit | Replays and inspects callbacks from payment providers.
Solidity Contract Auditor | Looks for reentrancy and overflow in smart contracts.
Commit Message Coach | Writes concise, conventional change notes.
Node Performance Profiler | Reads flame graphs and memory snapshots.
Legacy Code Archaeologist | Explains old modules and plans their refactoring.
OpenAPI Client Factory | Creates typed clients from specifications.
Data Pipeline Blueprints | Batch and streaming ingestion for warehouses.
Prompt Engineering Patterns | Instructions, examples and evaluations for language models.
Database Schema Reviewer | Spots missing keys, wrong types and risky migrations.
Incident Postmortem Writer | Turns a timeline of an outage into lessons.
Linux Server Hardening | Firewalls, updates and least privilege for hosts.
Code Translator | Ports programs between Java, Go and Python.`,
  marketing: `
SEO Content Strategist | Finds keywords and plans articles that rank in search engines.
Cold Email Copywriter | Short outreach messages that get replies.
Landing Page Critic | Reviews headlines, proof and calls to action.
Social Media Calendar | A month of posts for every channel.
Brand Voice Guide | Defines tone and words for a company.
Newsletter Growth Playbook | Wins subscribers and keeps them reading.
Google Ads Optimizer | Cuts wasted spend and improves bids.
Product Launch Checklist | Everything to do before, on and after the day.
Customer Persona Builder | Describes buyers from interviews and data.
Video Script Writer | Hooks and scenes for short clips.
Influencer Outreach Kit | Finds creators and negotiates collaborations.
Press Release Drafter | Announcements that journalists pick up.
Competitor Analysis Report | Compares pricing, features and positioning of rivals.
Email Drip Sequences | Onboarding and reactivation campaigns, ready to send.
Podcast Promotion Pack | Titles, show notes and audiograms for episodes.
Conversion Rate Experiments | Designs split tests and reads their statistics.
Affiliate Program Starter | Terms, commissions and tracking for partners.
Community Building Handbook | Grows forums and chat groups around a product.
LinkedIn Ghostwriter | Posts in the voice of a founder.
Slogan Generator | Taglines that people remember.
Review Response Assistant | Polite replies to praise and complaints from customers.
Pricing Page Templates | Tiers and comparisons that sell.
Event Marketing Planner | Webinars and conferences from invitation to follow-up.
Market Research Analyst | Sizes markets and summarizes surveys.
Pinterest Traffic Course | Pins and boards that bring visitors to shops.
Storytelling for Startups | Narratives for pitches and about pages.
Local Business Visibility | Maps, listings and reviews for stores on the corner.
TikTok Trend Spotter | Detects sounds and formats before they peak.
Product Description Writer | Sells goods in web shops with vivid text.
Analytics Dashboard Setup | Tracks visitors, funnels and campaigns.
Crowdfunding Campaign Coach | Rewards, updates and video for backers.
Referral Program Designer | Makes customers invite their friends.
Copy Editing Persona | A strict editor who shortens and corrects text.`,
  automation: `
Invoice Processing Robot | Extracts amounts from scanned bills and books them.
Spreadsheet Cleanup Agent | Removes duplicates, fixes dates and splits columns.
Calendar Scheduling Assistant | Books meetings across time zones.
Web Scraping Toolkit | Collects prices and listings from sites politely.
Inbox Triage Bot | Sorts mail, drafts answers and unsubscribes.
Slack Workflow Builder | Approvals and reminders inside chat.
PDF Form Filler | Completes applications from your data.
Home Assistant Recipes | Lights, heating and blinds that react to you.
CRM Data Sync | Keeps contacts equal in sales tools.
Report Generation Pipeline | Weekly figures as slides without handwork.
File Renaming Wizard | Names photos and documents by their content.
Zapier Recipe Collection | Connects apps without code.
Backup Scheduler | Copies folders to the cloud each night.
Expense Tracker Agent | Reads receipts and sorts spending by category.
Customer Support Autopilot | Resolves tickets from the knowledge base.
Price Monitoring Alerts | Tells you when a product gets cheaper.
Contract Clause Extractor | Finds deadlines and liabilities in agreements.
Browser Automation Scripts | Clicks through repetitive web tasks.
Inventory Reorder Bot | Predicts stock and orders supplies.
Lead Enrichment Agent | Adds company size and contacts to prospects.
Voice Transcription Service | Turns recordings into searchable text with speakers.
Payroll Checker | Compares hours, rates and taxes before payday.
Document Translation Flow | Translates files and keeps their layout.
Meeting Notes Recorder | Minutes, decisions and tasks from calls.
Order Fulfilment Router | Sends each parcel through the best warehouse.
Cron Job Manager | Watches recurring jobs and reports failures.
Image Background Remover | Cuts out products for catalogues in bulk.
Social Posting Robot | Publishes the same update everywhere.
Data Entry Agent | Types paper forms into databases.
Email Parser | Makes structured records of confirmations and orders.
Chatbot Builder Kit | Conversations with buttons for websites.
Fraud Detection Rules | Flags odd payments and accounts.
GitHub Actions Starter | Builds, tests and deploys on every push.`,
  career: `
Resume Writer | Tailors your CV to a job description.
Interview Coach | Practices behavioral questions and gives feedback.
Salary Negotiation Script | Words to ask for more money.
Cover Letter Composer | One page that says why you fit.
Career Change Roadmap | Plans the way to another profession.
System Design Interview Prep | Architectures and trade-offs for senior engineers.
LinkedIn Profile Makeover | A headline and summary that recruiters find.
Freelance Proposal Kit | Offers, scopes and rates for clients.
Public Speaking Trainer | Calms nerves and structures talks.
Leadership Handbook for New Managers | One-on-ones, delegation and feedback.
Job Search Tracker | Applications, contacts and follow-ups in one place.
Coding Challenge Mentor | Explains algorithms and data structures step by step.
Portfolio Website Guide | Shows designers and developers at their best.
Performance Review Writer | Phrases achievements and goals for appraisals.
Networking Conversation Starters | Openers and follow-ups for events.
Remote Work Survival Guide | Habits for teams without an office.
Resignation Letter Templates | Leaves politely and keeps doors open.
Product Manager Interview Questions | Cases, metrics and strategy.
Data Scientist Learning Path | Statistics and machine learning in a year.
Consulting Case Practice | Frameworks and mental arithmetic.
Teacher to Tech Guide | Moves educators into software companies.
Side Project Planner | Ships a small product beside a full-time job.
Mentor Persona | A patient senior who asks the right questions.
Visa Application Helper | Documents and timelines for working abroad.
Burnout Prevention Workbook | Boundaries, rest and energy at work.
Nursing Career Guide | Specialties, exams and shifts.
Lawyer Exam Flashcards | Torts, contracts and procedure to memorize.
Sales Role-Play Partner | Handles objections and closes deals with you.
Internship Finder | Where students apply and what they write.
Personal Finance for Freelancers | Taxes, insurance and savings without an employer.
Academic Writing Tutor | Structures theses and papers.
Conflict Resolution Scripts | Difficult talks with colleagues.
Time-Boxed Study Plan | Certificates for cloud engineers in eight weeks.`,
  ios: `
SwiftUI Animation Cookbook | Transitions and gestures that feel native.
App Store Screenshot Maker | Frames, captions and sizes for every device.
Core Data Migration Helper | Changes models without losing records.
iOS Push Notification Guide | Certificates, payloads and permission prompts.
Widget Design Kit | Home screen and lock screen tiles.
App Store Optimization Pack | Titles, keywords and ratings for downloads.
StoreKit Subscription Recipes | Trials, offers and receipts in the app.
HealthKit Integration Guide | Reads steps, sleep and heart rate.
ARKit Starter Scenes | Places objects in the room with the camera.
Xcode Build Fixer | Solves signing, linking and simulator errors.
Swift Concurrency Tutor | Actors, tasks and cancellation.
Siri Shortcuts Collection | Voice commands for everyday apps.
iPad Layout Patterns | Sidebars, columns and drag and drop.
TestFlight Release Checklist | From archive to external testers.
MapKit Route Planner | Directions, pins and offline tiles.
Dark Mode Color System | Palettes that work by day and night.
Keychain Security Recipes | Stores passwords and tokens safely on the phone.
Apple Watch Companion | Complications and workouts for the wrist.
In-App Review Timing | Asks for ratings at the right moment.
UIKit to SwiftUI Migration | Replaces screens one at a time.
Camera Filter Library | Film looks with Metal shaders.
Offline Sync Engine | Local storage that merges with the server.
Haptic Feedback Palette | Taps and pulses for buttons and games.
Localization Workflow for Apps | Strings, plurals and right-to-left languages.
CloudKit Sharing Guide | Records that several people edit.
Game Center Leaderboards | Scores, achievements and challenges.
Mobile Crash Reporter | Symbolicates and groups failures on devices.
Accessibility for iPhone Apps | VoiceOver, text sizes and reduced motion.
Deep Linking Guide | Universal links that open the right screen.
Swift Package Starter | Modules, resources and versions.
App Icon Generator | Sharp symbols in all sizes.
Bluetooth Device Connector | Pairs sensors and reads their values.
Vision OCR Scanner | Reads text from photos on the device.`,
  productivity: `
Second Brain Notes System | Captures and links ideas in one place.
Zettelkasten Starter | Small notes with connections that last.
Weekly Planning Ritual | Reviews goals and blocks time on Sundays.
Deep Work Coach | Focus sessions without distraction.
Reading Summary Agent | Condenses books and papers to key points.
Habit Tracker Persona | A friendly coach who keeps streaks alive.
Notion Workspace Template | Projects, wiki and tasks for small teams.
Email Zero Method | Empties the inbox in twenty minutes a day.
Decision Journal | Records choices, reasons and outcomes.
Meal Planning Assistant | Weekly menus and shopping lists for families.
Travel Itinerary Planner | Routes, bookings and packing lists.
Budget Planner | Monthly limits and savings for households.
Obsidian Plugin Guide | Graphs, templates and daily pages.
Morning Routine Designer | Sleep, exercise and calm before work.
Project Kickoff Kit | Scope, roles and risks on one page.
Mind Map Maker | Draws branches from messy thoughts.
Speed Typing Trainer | Fewer errors and more words a minute.
Language Learning Companion | Daily dialogues in Spanish, French and Japanese.
Task Prioritization Agent | Sorts to-dos by impact and urgency.
Gift Idea Finder | Presents by age, interest and price.
Workout Plan Generator | Strength and running for busy people.
Research Assistant | Finds sources, quotes them and checks claims.
Keyboard Shortcut Atlas | Faster work in editors and spreadsheets.
Moving House Checklist | Addresses, boxes and utilities in order.
Wedding Planner Persona | Guests, vendors and budget without stress.
Essay Feedback Tutor | Comments on structure and style for students.
Recipe Converter | Scales portions and swaps ingredients.
Garden Calendar | What to sow, water and harvest each month.
Family Organizer | Chores, appointments and school in one plan.
Brainstorming Facilitator | Exercises that bring groups to new ideas.
Digital Declutter Guide | Photos, files and subscriptions in order.
Parenting Question Helper | Calm advice for toddlers and teenagers.
Presentation Designer | Slides with one idea each.
Chess Opening Trainer | Lines and plans to practice every evening.`
}

const productTypes = ["skill", "knowledge", "persona"] as const

const slugOf = (title: string): string =>
  title
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-|-$/g, "")

/** The items, in an order that mixes their categories. */
export const catalogue: ReadonlyArray<VaultItem> = Object.entries(listings)
  .flatMap(([category, lines]) =>
    lines
      .trim()
      .split("\n")
      .map((line, index) => ({ category: category as VaultItem["category"], line, index }))
  )
  .toSorted((left, right) => left.index - right.index)
  .map(({ category, line }, number) => {
    const [title = "", cardDescription = ""] = line.split(" | ")
    return {
      id: `00000000-0000-4000-8000-${number.toString(16).padStart(12, "0")}`,
      slug: slugOf(title),
      title,
      productType: productTypes[number % 3]!,
      cardDescription,
      price: 5 + (number % 40),
      category,
      creator: { name: "Ada", type: "human" },
      downloads: 0,
      coverImageUrl: "https://images.example/cover.png"
    }
  })
