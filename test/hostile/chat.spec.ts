import { attackSubjects } from './attack-subjects.js';
import { chatSubjects } from './chat/index.js';
import { signInToChat } from './chat/session.js';

attackSubjects({ app: 'chat', subjects: chatSubjects, signIn: signInToChat });
