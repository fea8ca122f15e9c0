import { existsSync } from "node:fs"
import { createRequire } from "node:module"
import { delimiter, join } from "node:path"
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { payingFetch, type Sandbox, startSandbox } from "../src/index.ts"

/** Chromium of the machine, if there is one. */
const executablePath = (process.env["PATH"] ?? "")
  .split(delimiter)
  .flatMap((folder) => ["chromium", "chromium-browser", "google-chrome"].map((name) => join(folder, name)))
  .find(existsSync)

const axePath = createRequire(import.meta.url).resolve("axe-core/axe.min.js")

const wide = { width: 1280, height: 900 }
const narrow = { width: 390, height: 844 }

describe.skipIf(executablePath === undefined)("the console in a browser", () => {
  let browser: Browser
  let sandbox: Sandbox

  beforeAll(async () => {
    sandbox = await startSandbox()
    browser = await chromium.launch({ executablePath: executablePath!, args: ["--no-sandbox"] })
  })
  afterAll(async () => {
    await browser?.close()
    await sandbox?.stop()
  })

  /** Opens a page, and fails the test at its end if the browser has refused or failed anything. */
  const withPage = async (
    path: string,
    test: (page: Page) => Promise<void>,
    options: BrowserContextOptions = {}
  ): Promise<void> => {
    const context = await browser.newContext({ viewport: wide, ...options })
    const page = await context.newPage()
    const faults: Array<string> = []
    page.on("console", (message) => {
      if (message.type() === "error") faults.push(message.text())
    })
    page.on("pageerror", (error) => faults.push(String(error)))
    page.on("request", (request) => {
      if (!request.url().startsWith(sandbox.baseUrl)) faults.push(`loaded ${request.url()}`)
    })
    page.on("dialog", (dialog) => {
      faults.push(`ran ${dialog.message()}`)
      void dialog.dismiss()
    })
    try {
      await page.goto(sandbox.baseUrl + path)
      await test(page)
      expect(faults).toEqual([])
    } finally {
      await context.close()
    }
  }

  const paySearch = (): Promise<Response> =>
    payingFetch(sandbox.wallets[0]!.privateKey)(`${sandbox.baseUrl}/x402/search?q=lamp`)

  it("shows a paid call as it arrives, without another load, and its story", async () => {
    await withPage("/", async (page) => {
      await page.getByRole("status").filter({ hasText: "Live" }).waitFor()
      expect(await page.locator("tbody tr").count()).toBe(0)
      expect((await paySearch()).status).toBe(200)
      const paid = page.locator("tbody tr").filter({ hasText: "Paid" })
      await paid.waitFor()
      expect(await page.locator("[data-count=responses]").textContent()).toBe("1")
      expect(await page.locator("[data-count=settled]").textContent()).toBe("$0.01")
      expect(await page.locator("tbody tr").count()).toBe(2)
      await paid.getByRole("link").click()
      await page.getByRole("heading", { name: "search", level: 1 }).waitFor()
      expect(await page.locator(".story li.done").count()).toBe(6)
      expect(await page.locator(".story").textContent()).toMatch(/transaction\s+0x[0-9a-f]{64}/)
    })
  })

  it("works without scripts: the page is loaded again", async () => {
    const withoutScripts = { javaScriptEnabled: false }
    await withPage(
      "/",
      async (page) => {
        const before = await page.locator("tbody tr").count()
        await paySearch()
        await expect.poll(() => page.locator("tbody tr").count()).toBe(before + 2)
      },
      withoutScripts
    )
  })

  it("is used by the keyboard alone", async () => {
    await withPage("/", async (page) => {
      await page.getByRole("status").filter({ hasText: "Live" }).waitFor()
      const focused = (): Promise<string> =>
        page.evaluate(() => document.activeElement?.textContent?.trim() ?? "")
      const tabTo = async (text: string): Promise<void> => {
        for (let presses = 0; presses < 60 && (await focused()) !== text; presses++)
          await page.keyboard.press("Tab")
        expect(await focused()).toBe(text)
      }
      await page.keyboard.press("Tab")
      expect(await focused()).toBe("Skip to content")
      await tabTo("Call without a payment")
      const before = Number(await page.locator("[data-count=required]").textContent())
      await page.keyboard.press("Enter")
      await expect
        .poll(async () => Number(await page.locator("[data-count=required]").textContent()))
        .toBeGreaterThan(before)
      await tabTo("search")
      await page.keyboard.press("Enter")
      await page.getByRole("heading", { name: "search", level: 1 }).waitFor()
    })
  })

  it("shows by the keyboard what indexes see, and the options", async () => {
    await withPage("/today", async (page) => {
      const tabTo = async (text: string): Promise<void> => {
        const focused = () => page.evaluate(() => document.activeElement?.textContent?.trim() ?? "")
        for (let presses = 0; presses < 60 && (await focused()) !== text; presses++)
          await page.keyboard.press("Tab")
        expect(await focused()).toBe(text)
      }
      await tabTo("Listing")
      await page.keyboard.press("Enter")
      await page.getByRole("heading", { name: "Listing", level: 1 }).waitFor()
      const search = page.locator("tbody tr").filter({ hasText: "GET /x402/search" })
      expect(await search.textContent()).toMatch(/\$0\.01[\s\S]*Base Sepolia[\s\S]*listing, offers, OpenAPI/)
      await tabTo("Call each route without a payment")
      await page.keyboard.press("Enter")
      await page.getByRole("columnheader", { name: "Unpaid call" }).waitFor()
      // Every route has a price for whoever calls it so.
      const badges = await page.locator("tbody td .badge").allTextContents()
      expect(badges.filter((text) => text === "402").length).toBe(await page.locator("tbody tr").count())
      await tabTo("Configuration")
      await page.keyboard.press("Enter")
      await page.getByRole("heading", { name: "Configuration", level: 1 }).waitFor()
      expect(await page.locator("tbody tr").filter({ hasText: "limits.unsettled" }).count()).toBeGreaterThan(
        0
      )
    })
  })

  it("acts on an order after a question, and logs it", async () => {
    await withPage("/", async (page) => {
      await page.getByRole("button", { name: "Buy headphones" }).click()
      await page.getByRole("link", { name: "Orders" }).click()
      await page.locator("tbody th a").first().click()
      await page.getByRole("link", { name: "Process now" }).click()
      await page.getByRole("button", { name: "Process now" }).click()
      await page
        .getByRole("status")
        .filter({ hasText: /Done|Nothing was changed/ })
        .waitFor()
      await page.getByRole("link", { name: "Actions" }).click()
      expect(await page.locator("tbody tr").first().textContent()).toContain("Process now")
    })
  })

  const looks = [wide, narrow].flatMap((viewport) =>
    (["light", "dark"] as const).map((colorScheme) => ({ viewport, colorScheme }))
  )

  it.each(looks)(
    "has no serious fault of accessibility, and fits: $viewport.width $colorScheme",
    async (look) => {
      const list = async (section: string, pattern: RegExp): Promise<string> =>
        pattern.exec(await (await fetch(`${sandbox.baseUrl}/${section}`)).text())![1]!
      const charge = await list("charges", /href="(\/charges\/[^"]+)"/)
      const order = await list("orders", /href="(\/orders\/[^"]+)"/)
      const paths = [
        "/",
        "/today",
        "/charges",
        charge,
        "/orders",
        order,
        "/purchases",
        "/refunds",
        "/ledger?check=ledger",
        "/listing",
        "/listing?call=all",
        "/configuration"
      ]
      for (const path of [...paths, "/health", "/actions", "/search?q=lamp", "/act?action=refunds.stop"])
        await withPage(
          path,
          async (page) => {
            await page.addScriptTag({ path: axePath })
            const violations = await page.evaluate(async () => {
              const { axe } = globalThis as unknown as {
                axe: {
                  run: () => Promise<{
                    violations: Array<{ id: string; impact: string; nodes: Array<{ html: string }> }>
                  }>
                }
              }
              const found = await axe.run()
              return found.violations
                .filter(({ impact }) => impact === "serious" || impact === "critical")
                .map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`)
            })
            expect(violations, path).toEqual([])
            const overflow = await page.evaluate(
              () => document.documentElement.scrollWidth - document.documentElement.clientWidth
            )
            expect(overflow, path).toBe(0)
          },
          { ...look, bypassCSP: true }
        )
    }
  )
})
