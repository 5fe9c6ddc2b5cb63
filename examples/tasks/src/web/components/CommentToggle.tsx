/** A button that unfolds a task. It shows the number of comments. */
import { Icon } from './Icon.tsx'

interface CommentToggleProps {
  title: string
  count: number
  isOpen: boolean
  isDisabled?: boolean
  /** The id of the unfolded element. */
  controls: string
  onToggle: () => void
}

export function CommentToggle({ title, count, isOpen, isDisabled = false, controls, onToggle }: CommentToggleProps) {
  const comments = count === 1 ? '1 comment' : `${count} comments`
  return (
    <button
      type="button"
      className="bare unfold"
      aria-label={`Details of ${title}, ${comments}`}
      aria-expanded={isOpen}
      aria-controls={isOpen ? controls : undefined}
      disabled={isDisabled}
      onClick={onToggle}
    >
      <Icon name="chat" />
      {count > 0 && <small>{count}</small>}
    </button>
  )
}
