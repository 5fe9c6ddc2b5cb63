import { useChat } from '@ai-sdk/react'
import { DefaultChatTransport } from 'ai'
import { stage, TOKEN, useFigures } from './stage.mjs'

/** Shows a stream of this kind with `useChat` and additional options. */
export function stageChat(kind, options) {
  const transport = new DefaultChatTransport({ api: `/stream/${kind}` })
  stage(function App() {
    const { messages, sendMessage } = useChat({ transport, ...options })
    const [first, ...others] = messages.findLast(({ role }) => role === 'assistant')?.parts ?? []
    const count = first?.type === 'text' ? first.text.length / TOKEN.length : first === undefined ? 0 : 1
    return useFigures(count + others.length, () => sendMessage({ text: 'Tea' }))
  })
}
