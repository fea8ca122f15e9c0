import { html } from "hono/html"
import { type Action, actions, outcomeText } from "../Actions.ts"
import type { ActionEntry } from "../ActionLog.ts"
import { words } from "../text.ts"
import { badge, code, type Html, page, type PageContext, table, time, withQuery } from "./layout.ts"

/** Links to confirm actions, for visitors that may act. */
export const actionLinks = (
  { base, here, visitor }: PageContext,
  names: ReadonlyArray<string>,
  subject?: string
): Html | string =>
  visitor.role !== "admin" || names.length === 0
    ? ""
    : html`<nav class="acts" aria-label="Actions">
        ${names.map(
          (name) =>
            html`<a class="button" href="${withQuery(`${base}/act`, { action: name, subject, back: here })}"
              >${actions[name]!.title}</a
            >`
        )}
      </nav>`

/** The question before an action. */
export const confirmPage = (
  context: PageContext,
  {
    action,
    back,
    name,
    subject,
    subjectFacts
  }: {
    readonly action: Action
    readonly name: string
    readonly subject: string
    readonly subjectFacts: Html | string
    readonly back: string
  }
): Html =>
  page(context, {
    section: "actions",
    title: action.title,
    content: html`<h1>${action.title}?</h1>
      ${action.subject === undefined ? "" : html`<p>${action.subject === "order" ? "Order" : "Charge"} ${code(subject)}</p>`}
      ${subjectFacts}
      <p>${action.consequence}</p>
      <form class="confirm" method="post" action="${context.base}/act">
        <input type="hidden" name="token" value="${context.token}" />
        <input type="hidden" name="action" value="${name}" />
        <input type="hidden" name="subject" value="${subject}" />
        <input type="hidden" name="back" value="${back}" />
        ${action.fields.map(
          ({ isRequired, label, name: field }) =>
            html`<label for="${field}">${label}${isRequired ? "" : " (optional)"}</label>
              <input
                id="${field}"
                name="${field}"
                maxlength="500"
                autocomplete="off"
                ${isRequired ? html`required` : ""}
              />`
        )}
        <div class="buttons">
          <button type="submit">${action.title}</button>
          <a href="${back}">Back, without a change</a>
        </div>
      </form>`
  })

/** What an action came to. */
export const donePage = (context: PageContext, entry: ActionEntry, back: string): Html =>
  page(context, {
    section: "actions",
    title: outcomeText(entry.outcome, entry.action),
    content: html`<h1>${actions[entry.action]?.title ?? entry.action}</h1>
      <p role="status" class="notice ${entry.outcome === "done" ? "good" : "bad"}">
        ${outcomeText(entry.outcome, entry.action)}
      </p>
      <p><a class="button" href="${back}">Back</a></p>`
  })

/** The latest actions. */
export const actionsPage = (
  context: PageContext,
  entries: ReadonlyArray<ActionEntry>,
  canReconcile: boolean
): Html =>
  page(context, {
    section: "actions",
    title: "Actions",
    content: html`<div class="head"><h1>Actions</h1></div>
      <p>What operators did through this console, since its process started.</p>
      ${actionLinks(context, canReconcile ? ["reconcile"] : [])}
      ${table(
        ["Time (UTC)", "Who", "Action", "Subject", "Given", "Outcome"],
        entries.map(
          ({ action, at, given, outcome, subject, who }) =>
            html`<tr>
              <td>${time(at)}</td>
              <td>${who}</td>
              <td>${actions[action]?.title ?? action}</td>
              <td>${subject === undefined ? "" : code(subject)}</td>
              <td>${Object.values(given).join(", ")}</td>
              <td>${badge(outcome === "done" ? "good" : "bad", words(outcome))}</td>
            </tr>`
        ),
        "No action yet."
      )}`
  })
