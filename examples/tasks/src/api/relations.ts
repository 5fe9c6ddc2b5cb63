/** Shows `relate`: values of other resources, which a request adds to rows with `?expand=commentCount`. */
import { countOf, relate } from '@sdk/server'
import { comments } from './comments.ts'
import { assignedTasks, tasks } from './tasks.ts'

// The count is the same for everyone who may see the task.
const commentCount = countOf(comments, 'taskId', { of: 'everyone' })

export const tasksWith = relate(tasks, { commentCount })
export const assignedTasksWith = relate(assignedTasks, { commentCount })
