/** Commands about the language itself: reading files of commands, and listing what commands there are. */
import { basename } from 'node:path';
import { filesMatching } from '../../file-glob.ts';
