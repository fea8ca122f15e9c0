import type { Prompt } from "effect/ai"
import { Prompt as Prompts } from "effect/ai"

/*
 * Prompts as messages of the chat-completions protocol.
 */

/** A message of a request. */
export type ChatMessage =
  | { readonly role: "system" | "user"; readonly content: string }
  | {
      readonly role: "assistant"
      readonly content: string | null
      readonly tool_calls?: ReadonlyArray<{
        readonly id: string
        readonly type: "function"
        readonly function: { readonly name: string; readonly arguments: string }
      }>
    }
  | { readonly role: "tool"; readonly tool_call_id: string; readonly content: string }

/** A part that the protocol has no place for here, such as a file. */
export class UnsupportedPart extends Error {
  override readonly name = "UnsupportedPart"
}

const textOf = (parts: ReadonlyArray<{ readonly type: string; readonly text?: string }>): string =>
  parts
    .map(({ text, type }) => {
      if (type === "text" && text !== undefined) return text
      throw new UnsupportedPart(`a part of type ${type} can't be sent`)
    })
    .join("\n")

const assistantMessage = ({ content }: Prompt.AssistantMessage): ReadonlyArray<ChatMessage> => {
  const text = content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n")
  const calls = content.flatMap((part) =>
    part.type === "tool-call"
      ? [
          {
            id: part.id,
            type: "function" as const,
            function: { name: part.name, arguments: JSON.stringify(part.params) }
          }
        ]
      : []
  )
  if (text === "" && calls.length === 0) return []
  return [
    {
      role: "assistant",
      content: text === "" ? null : text,
      ...(calls.length === 0 ? {} : { tool_calls: calls })
    }
  ]
}

const messagesOf = (message: Prompt.Message): ReadonlyArray<ChatMessage> => {
  switch (message.role) {
    case "system":
      return [{ role: "system", content: message.content }]
    case "user":
      return [{ role: "user", content: textOf(message.content) }]
    case "assistant":
      return assistantMessage(message)
    case "tool":
      return message.content.flatMap((part) =>
        part.type === "tool-result"
          ? [
              {
                role: "tool" as const,
                tool_call_id: part.id,
                content:
                  part.modelOutput === undefined
                    ? JSON.stringify(part.result)
                    : Prompts.toolModelOutputToText(part.modelOutput)
              }
            ]
          : []
      )
  }
}

/** Joins messages of the user that follow one another: some servers want roles in turns. */
const inTurns = (messages: ReadonlyArray<ChatMessage>): ReadonlyArray<ChatMessage> => {
  const joined: Array<ChatMessage> = []
  for (const message of messages) {
    const last = joined.at(-1)
    if (last?.role === "user" && message.role === "user") {
      joined[joined.length - 1] = { role: "user", content: `${last.content}\n\n${message.content}` }
    } else joined.push(message)
  }
  return joined
}

/**
 * The messages of a prompt, in order. Reasoning is not sent back.
 *
 * @throws UnsupportedPart for a file
 */
export const toChatMessages = ({ content }: Prompt.Prompt): ReadonlyArray<ChatMessage> =>
  inTurns(content.flatMap(messagesOf))
