import { createElement } from 'react'
import { useChat } from '@ai-sdk/react'

export function App() {
  const { messages, sendMessage, status, error } = useChat()
  if (error) return error.message
  const onClick = () => sendMessage({ text: 'Tea' })
  const text = messages.at(-1)?.parts.map((part) => (part.type === 'text' ? part.text : ''))
  return createElement('button', { onClick, disabled: status !== 'ready' }, text)
}
